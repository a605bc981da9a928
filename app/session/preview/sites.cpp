// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/sites.h"

#include "app/session/preview/preview.h"
#include "app/session/work/refusal.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

namespace {

std::vector<RecordedSite> read_ir(Work& work, const Source& source) {
    work.enter("reading the IR");
    FileId file = work.sources.add(source.name, source.text);
    ir::ModuleRef module = ir::parse_module(work.sources, file, work.sink);
    if (!module)
        return {};
    for (const std::string& violation : ir::verify(*module)) // the passes rely on what the text only promises
        work.sink.report(DiagId::IrInvalid, {}, violation);
    if (work.sink.has_errors())
        return {};
    return {{module, Span{file, 0, 0}}};
}

bool known_pass(Work& work, const std::string& name) {
    return name.empty() || compiler::find_pass(name) || report_wrong_usage(work, no_such_pass(name));
}

bool known_arch(Work& work, const std::string& name) {
    const std::optional<artifact::TargetSpec> target = artifact::find_target(name.empty() ? default_arch : name);
    return (target && target->is_cuda()) || report_wrong_usage(work, Diagnostic::make(DiagId::NoSuchArch, {}, name));
}

} // namespace

bool can_be_asked(Work& work, const PreviewRequest& request) {
    return known_pass(work, request.stop_after) && known_pass(work, request.only_pass) &&
           known_arch(work, request.arch);
}

BuiltScript build_script(Work& work, const PreviewRequest& request) {
    if (request.source.is_ir)
        return {{}, read_ir(work, request.source)};
    EvaluatedScript evaluated = preview_script(work, request.source, request.calls);
    std::vector<RecordedSite> sites = sites_of(evaluated.result);
    return {std::move(evaluated), std::move(sites)};
}

std::vector<RecordedSite> sites_of(const lang::EvalResult& result) {
    std::vector<RecordedSite> out;
    for (const lang::RecordedModule& recorded : result.modules)
        if (recorded.module)
            out.push_back({recorded.module, recorded.site, recorded.state, recorded.is_asked});
    return out;
}

ModuleSnapshot describe(const Work& work, const RecordedSite& recorded, int number) {
    ModuleSnapshot out;
    out.number = number;
    out.site = place_of(recorded.site, work.sources);
    for (const ir::FunctionRef& function : recorded.module->functions)
        out.functions.push_back(
            {function->name, ir::func_kind_name(function->func_kind), place_of(function->origin.span, work.sources)});
    return out;
}

} // namespace hidet::session
