// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/sites.h"

#include "app/session/preview/preview.h"
#include "app/session/work/read_ir.h"
#include "app/session/work/refusal.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/transform/pass.h"

namespace hidet::session {

namespace {

std::vector<RecordedSite> sites_in_ir(Work& work, const Source& source) {
    const ir::ModuleRef module = read_ir(work, source, work.sink);
    if (!module)
        return {};
    return {{module, Span{module->origin.span.file, 0, 0}}};
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
        return {{}, sites_in_ir(work, request.source)};
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
