// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/predicted.h"

#include <algorithm>

#include "app/session/explain/text_figures.h"

namespace hidet::session {

bool is_of_own_calls(const KernelBenchRequest& request) {
    return request.arguments.empty() && request.dimensions.empty() && !request.vary;
}

std::optional<double> predicted_seconds(const KernelBenchRequest& request, const std::string& function, int module) {
    if (!is_of_own_calls(request))
        return std::nullopt;
    ExplainRequest asked;
    asked.preview.source = request.run.source;
    asked.preview.calls = request.calls;
    asked.preview.module = module;
    asked.preview.arch = request.arch;
    asked.preview.cancelled = request.run.cancelled;
    asked.fixes = false;
    const std::vector<KernelExplained> kernels = explain(asked).kernels;
    if (kernels.empty())
        return std::nullopt;
    const auto found = std::ranges::find(kernels, function, &KernelExplained::name);
    const int number = module > 0 ? module : (found == kernels.end() ? kernels.front() : *found).module;
    const std::map<int, CodeFigures> figures = figures_of(kernels);
    const auto of_module = figures.find(number);
    return of_module == figures.end() ? std::nullopt : of_module->second.predicted;
}

} // namespace hidet::session
