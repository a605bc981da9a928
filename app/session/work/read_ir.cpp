// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/read_ir.h"

#include "app/session/request/edited_stage.h"
#include "compiler/ir/module_options.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/pass.h"
#include "lang/base/transformed.h"

namespace hidet::session {

namespace {

// Of the row that says after which pass the module is.
Span place_of_pass(const SourceMap& sources, FileId file) {
    const std::string_view text = sources.file(file).text();
    const std::size_t begin = std::min(text.find(holds_row), text.size());
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

// A pass that moved is one of another version of this program: what the text relies on may not hold.
bool is_known_pass(const EditedStage& head, Span place, DiagnosticSink& sink) {
    if (head.passes == 0)
        return true;
    const std::vector<PassId> passes = compiler::pipeline(compiler::LowerTo::Kernel);
    const auto number = static_cast<std::size_t>(head.passes);
    const char* there = number <= passes.size() ? compiler::all_passes()[passes[number - 1] - 1u].name : nullptr;
    if (there && head.pass == there)
        return true;
    if (!compiler::find_pass(head.pass)) {
        const auto names = transformed<std::string>(compiler::all_passes(), &compiler::PassInfo::name);
        sink.report(Diagnostic::make(DiagId::NoSuchPass, place, head.pass).suggest(place, head.pass, names));
        return false;
    }
    const std::string mistake = there ? cat("pass ", head.passes, " is '", there, "', not '", head.pass, "'")
                                      : cat("there is no pass ", head.passes, ", as the last is ", passes.size());
    sink.report(DiagId::IrInvalid, place,
                cat(mistake, ": the text is of another version, or its first comment was changed"));
    return false;
}

bool is_at_level(const ir::Module& module, const EditedStage& head, DiagnosticSink& sink) {
    const ir::Level level = compiler::level_after(head.passes);
    if (module.level >= level)
        return true;
    sink.report(DiagId::IrInvalid, module.origin.span,
                cat("after pass ", head.passes, ", '", head.pass, "', a module is at level ", ir::level_name(level),
                    " or further, and this one is at level ", ir::level_name(module.level)));
    return false;
}

} // namespace

ir::ModuleRef read_ir(Work& work, const Source& source, DiagnosticSink& sink) {
    work.enter("reading the IR");
    const FileId file = work.sources.add(source.name, source.text);
    const EditedStage head = edited_stage(source.text, Form::Ir);
    if (!is_known_pass(head, place_of_pass(work.sources, file), sink))
        return nullptr;
    const ir::ModuleRef module = ir::parse_module(work.sources, file, sink);
    // The passes rely on what the text only promises.
    if (!module || !is_at_level(*module, head, sink) || !ir::is_well_formed(*module, sink))
        return nullptr;
    return compiler::with_passes_done(module, head.passes);
}

ir::ModuleRef as_written(const ir::ModuleRef& module) {
    return ir::options_of(*module).passes == 0 ? module : compiler::with_passes_done(module, 0);
}

} // namespace hidet::session
