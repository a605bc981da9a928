// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/text_figures.h"

#include <algorithm>
#include <set>

namespace hidet::session {

std::map<int, CodeFigures> figures_of(const std::vector<KernelExplained>& kernels) {
    std::map<int, CodeFigures> out;
    std::set<int> unknown; // modules with a kernel of unknown size: no sum is that of all
    for (const KernelExplained& kernel : kernels) {
        if (!kernel.cost)
            continue;
        const CostView& cost = *kernel.cost;
        CodeFigures& figures = out[kernel.module];
        figures.add_kernel(cost.facts ? std::optional(cost.facts->registers) : std::nullopt,
                           cost.static_shared + cost.dynamic_shared);
        if (std::ranges::find(cost.grid, 0) == cost.grid.end())
            figures.predicted = figures.predicted.value_or(0) + kernel.all_seconds;
        else
            unknown.insert(kernel.module);
    }
    for (const int module : unknown)
        out[module].predicted.reset();
    return out;
}

} // namespace hidet::session
