// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "compiler/ir/verify.h"
#include "lang/base/text.h"
#include "lang/host/evaluator.h"
#include "lang/parse/parser.h"
#include "tests/fuzz/targets.h"

namespace hidet::fuzz {

namespace {

constexpr std::size_t longest = 20'000;

lang::EvalOptions options(lang::Mode mode) {
    lang::EvalOptions out;
    out.mode = mode;
    out.max_steps = 20'000;
    out.max_bytes = 16u << 20;
    out.max_ir_nodes = 20'000;
    out.max_call_depth = 60;
    out.max_stack_bytes = 2u << 20;
    return out;
}

// Without a folder there are no files to be imported, and without an engine nothing is launched.
void evaluate(std::string_view input, lang::Mode mode) {
    SourceMap sources;
    const FileId file = sources.add("input.py", std::string(input));
    DiagnosticSink sink;
    const lang::ast::Module module = lang::parse(sources, file, sink);
    if (sink.has_errors() && mode == lang::Mode::Run)
        return;
    lang::Evaluator evaluator(sources, sink, options(mode), nullptr);
    const lang::EvalResult result = evaluator.run(module);
    for (const lang::RecordedModule& recorded : result.modules) {
        const std::vector<std::string> wrong = ir::verify(*recorded.module);
        require(wrong.empty(), wrong.empty() ? "" : wrong.front());
    }
    require(first_invalid_utf8(render(sink.all(), sources)) == std::string::npos, "messages are text");
}

} // namespace

void host(std::string_view input) {
    if (input.size() <= longest)
        evaluate(input, lang::Mode::Run);
}

void preview(std::string_view input) {
    if (input.size() <= longest)
        evaluate(input, lang::Mode::Preview);
}

} // namespace hidet::fuzz
