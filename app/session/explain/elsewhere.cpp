// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/elsewhere.h"

#include "app/session/explain/text_figures.h"

namespace hidet::session {

Elsewhere made_elsewhere(PreviewRequest request) {
    Elsewhere out;
    PreviewResult made = preview(request);
    for (const DiagnosticView& diagnostic : made.diagnostics)
        if (diagnostic.severity == Severity::Error && out.reason.empty())
            out.reason = diagnostic.message;
    for (ModuleSnapshot& module : made.modules)
        if (module.number == request.module)
            out.module = std::make_shared<const ModuleSnapshot>(std::move(module));
    if (!out.module) {
        if (out.reason.empty())
            out.reason = "the script builds no such module";
        return out;
    }
    const int number = request.module;
    ExplainRequest costs;
    costs.preview = std::move(request);
    costs.preview.forms.clear();
    costs.fixes = false;
    out.figures = figures_of(explain(costs).kernels)[number];
    return out;
}

} // namespace hidet::session
