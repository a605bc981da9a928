// SPDX-License-Identifier: Apache-2.0
// An evaluator that ends its process, in the way that the script says: "# end: segv", or, when all of it was
// evaluated, "# end: after-segv". The linker puts it in the place of the
// real one (CMakeLists.txt), wherever other layers call that.
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "lang/ast/ast.h"
#include "lang/host/evaluator.h"

using namespace hidet;
using namespace hidet::lang;

// Evaluator::run, as the linker calls it.
EvalResult real_run(Evaluator* evaluator,
                    const ast::Module& module) asm("__real__ZN5hidet4lang9Evaluator3runERKNS0_3ast6ModuleE");
EvalResult faulty_run(Evaluator* evaluator,
                      const ast::Module& module) asm("__wrap__ZN5hidet4lang9Evaluator3runERKNS0_3ast6ModuleE");

namespace {

int fill_stack(int depth) {
    volatile char page[4096];
    page[0] = static_cast<char>(depth);
    return depth < 0 ? 0 : fill_stack(depth + 1) + page[0];
}

void take_memory() {
    std::vector<std::unique_ptr<char[]>> pieces;
    for (;;) // of addresses: none of it is touched
        pieces.emplace_back(new char[std::size_t{64} << 20]);
}

void end(const std::string& way) {
    if (way == "segv")
        std::raise(SIGSEGV);
    else if (way == "abort")
        std::abort();
    else if (way == "stack")
        fill_stack(0);
    else if (way == "memory")
        take_memory();
    else if (way == "kill")
        std::raise(SIGKILL);
    else if (way == "exit")
        std::_Exit(7);
    else if (way == "hang")
        for (;;)
            ::pause();
}

// As every evaluation does before its next steps: one that follows another stops where that has ended.
bool may_go_beyond(Evaluator* evaluator, std::uint64_t steps) {
    StepWatcher* watcher = evaluator->options().watcher;
    return !watcher || watcher->reached(steps);
}

} // namespace

EvalResult faulty_run(Evaluator* evaluator, const ast::Module& module) {
    const std::string& text = evaluator->sources().file(module.file).text();
    const std::string mark = "# end: ";
    if (const std::size_t at = text.find(mark); at != std::string::npos) {
        const std::size_t begin = at + mark.size();
        const std::string way = text.substr(begin, text.find_first_of(" \n", begin) - begin);
        if (!may_go_beyond(evaluator, 0))
            return {};
        end(way);
        const std::string after = "after-";
        if (way.starts_with(after)) {
            const EvalResult result = real_run(evaluator, module);
            if (!may_go_beyond(evaluator, result.steps + 1'000'000))
                return {};
            end(way.substr(after.size()));
        }
    }
    return real_run(evaluator, module);
}
