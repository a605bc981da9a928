// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/preview.h"

#include <algorithm>

#include "app/session/preview/lowering.h"
#include "app/session/preview/mistake_repairs.h"
#include "app/session/preview/previewed_modules.h"
#include "app/session/work/refusal.h"
#include "compiler/transform/pass.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

bool has_function(const ModuleSnapshot& module, const std::string& name) {
    return std::any_of(module.functions.begin(), module.functions.end(), [&](const auto& f) { return f.name == name; });
}

std::string count_of(std::size_t count, const char* noun) {
    return cat(count, " ", noun, count == 1 ? "" : "s");
}

// Drops the modules that the request did not ask for, and says so when nothing is left.
void select(Work& work, const PreviewRequest& request, std::vector<ModuleSnapshot>& modules) {
    const std::string& name = request.source.name;
    if (request.module != 0) {
        if (request.module < 0 || static_cast<std::size_t>(request.module) > modules.size()) {
            std::string built = count_of(modules.size(), "module");
            modules.clear();
            report_wrong_usage(work, Diagnostic::make(DiagId::NoSuchModule, {}, request.module, name, built));
            return;
        }
        modules = {modules[static_cast<std::size_t>(request.module - 1)]};
    }
    if (request.function.empty())
        return;
    std::vector<std::string> names;
    for (const ModuleSnapshot& module : modules)
        for (const FunctionSnapshot& function : module.functions)
            names.push_back(function.name);
    std::erase_if(modules, [&](const ModuleSnapshot& module) { return !has_function(module, request.function); });
    if (!modules.empty())
        return;
    report_wrong_usage(
        work,
        Diagnostic::make(DiagId::NoSuchFunction, {}, name, request.function).suggest({}, request.function, names));
}

} // namespace

PreviewedModules preview_into(Work& work, const PreviewRequest& request, PreviewResult& result) {
    if (!can_be_asked(work, request))
        return {};
    PreviewedModules out{build_script(work, request), {}};
    const std::vector<RecordedSite>& recorded = out.built.sites;
    if (!request.source.is_ir)
        offer_repairs(work, {request.source, request.calls, nullptr, nullptr});
    result.modules_built = static_cast<int>(recorded.size());
    std::vector<ModuleSnapshot> modules;
    for (const RecordedSite& site : recorded)
        modules.push_back(describe(work, site, static_cast<int>(modules.size()) + 1));
    select(work, request, modules);
    for (ModuleSnapshot& module : modules) {
        if (work.stopped())
            break;
        const RecordedSite& site = recorded[static_cast<std::size_t>(module.number - 1)];
        out.emulated.push_back(lower_to_snapshot(work, request, site, module).emulated);
        if (request.published)
            request.published(module);
        result.modules.push_back(std::move(module));
    }
    return out;
}

PreviewResult preview(const PreviewRequest& request) {
    Work work = work_for("lower", request);
    PreviewResult result;
    guarded(work, [&] { preview_into(work, request, result); });
    finish(work, result);
    return result;
}

Diagnostic no_such_pass(const std::string& name) {
    const std::vector<std::string> names = transformed<std::string>(compiler::all_passes(), &compiler::PassInfo::name);
    return Diagnostic::make(DiagId::NoSuchPass, {}, name)
        .suggest({}, name, names)
        .note({}, "'hidetc lower FILE --passes' lists them");
}

std::vector<PassDescription> describe_passes() {
    return transformed(compiler::all_passes(), [](const compiler::PassInfo& pass) {
        return PassDescription{pass.name, pass.summary};
    });
}

} // namespace hidet::session
