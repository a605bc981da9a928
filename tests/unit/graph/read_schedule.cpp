// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/read_schedule.h"

#include <stdexcept>

#include "compiler/ir/text/parse_text.h"
#include "lang/host/evaluator.h"
#include "lang/parse/parser.h"

namespace hidet::test {

static ir::ModuleRef built_by(SourceMap& sources, FileId file, DiagnosticSink& sink) {
    const lang::ast::Module script = lang::parse(sources, file, sink);
    lang::EvalOptions options;
    options.mode = lang::Mode::Preview;
    lang::Evaluator evaluator(sources, sink, options, nullptr);
    const lang::EvalResult result = evaluator.run(script);
    return result.modules.empty() ? nullptr : result.modules.back().module;
}

ir::ModuleRef read_schedule(const std::string& text) {
    SourceMap sources;
    DiagnosticSink sink;
    const FileId file = sources.add("schedule", text);
    ir::ModuleRef module =
        text.starts_with("module") ? ir::parse_module(sources, file, sink) : built_by(sources, file, sink);
    if (!module || sink.has_errors())
        throw std::runtime_error("no schedule\n" + render(sink.all(), sources));
    return module;
}

} // namespace hidet::test
