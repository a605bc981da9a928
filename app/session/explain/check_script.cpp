// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/check_script.h"

#include <iterator>

#include "app/session/explain/bounds_view.h"
#include "app/session/explain/found_kernel.h"
#include "app/session/preview/previewed_modules.h"
#include "app/session/work/work.h"

namespace hidet::session {

namespace {

std::vector<DiagnosticView> proved_mistakes(Work& work, const PreviewRequest& request, const PreviewedModules& modules,
                                            const std::vector<ModuleSnapshot>& snapshots) {
    std::vector<DiagnosticView> out;
    work.enter("proving that accesses stay within their tensors");
    for (std::size_t i = 0; i < modules.emulated.size(); ++i) {
        if (!modules.emulated[i])
            continue;
        const int number = snapshots[i].number;
        const ir::ModuleRef& script = modules.built.sites[static_cast<std::size_t>(number - 1)].module;
        for (const FoundKernel& found :
             kernels_in(number, script, modules.emulated[i], modules.built.evaluated.result.calls, request.function)) {
            if (work.stopped())
                return out;
            BoundsView bounds = bounds_of(*found.module, *found.kernel, found.sizes, work.sources, work.cancelled);
            std::ranges::move(bounds.mistakes, std::back_inserter(out));
        }
    }
    return out;
}

} // namespace

PreviewResult check_script(const PreviewRequest& request) {
    Work work = work_for("check", request);
    PreviewResult result;
    std::vector<DiagnosticView> mistakes;
    guarded(work, [&] {
        const PreviewedModules modules = preview_into(work, request, result);
        if (!work.sink.has_errors())
            mistakes = proved_mistakes(work, request, modules, result.modules);
    });
    finish(work, result);
    if (!mistakes.empty() && result.status == Status::Ok)
        result.status = Status::UserMistake;
    std::ranges::move(mistakes, std::back_inserter(result.diagnostics));
    return result;
}

} // namespace hidet::session
