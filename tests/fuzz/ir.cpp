// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "compiler/ir/structure.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "lang/base/text.h"
#include "tests/fuzz/targets.h"

namespace hidet::fuzz {

namespace {

ir::ModuleRef read(std::string text, std::string& said) {
    SourceMap sources;
    const FileId file = sources.add("input.ir", std::move(text));
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, file, sink);
    said = render(sink.all(), sources);
    return module;
}

} // namespace

void ir(std::string_view input) {
    std::string said;
    const ir::ModuleRef module = read(std::string(input), said);
    require(module || !said.empty(), "what is refused is told why");
    if (!module || !ir::verify(*module).empty())
        return;
    const std::string text = ir::print_module(*module).text;
    const ir::ModuleRef again = read(text, said);
    require(again != nullptr, cat("what is printed is read back: ", said, "\n", text));
    require(ir::print_module(*again).text == text, cat("the text is the same once it was read: ", text));
    require(ir::structural_equal(module, again), "the module is the same once it was read");
}

} // namespace hidet::fuzz
