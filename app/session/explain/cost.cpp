// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/cost.h"

#include <algorithm>

#include "app/session/forms/maker.h"
#include "app/session/kernel_bench/figures.h"
#include "compiler/perf/launch_shape.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

std::string flops_text(const CostView& cost) {
    if (!cost.flops)
        return cat("not known: ", cost.flops_unknown);
    return cat(cost.flops_at_most ? "at most " : "", cost.flops_sampled ? "about " : "", si_text(*cost.flops, "FLOP"));
}

std::string predicted_text(const CostView& cost) {
    if (std::ranges::count(cost.grid, 0) > 0)
        return "not known: the sizes of the grid are not";
    const std::string time = time_text(cost.predicted_seconds);
    if (!cost.at_least.empty())
        return cat("at least ", time, ": ", at_least_text(cost.at_least));
    return cost.of_roof ? cat(time, ", ", percent_text(*cost.of_roof), " of the roof") : time;
}

std::string at_least_text(const std::vector<std::string>& what) {
    const bool are_several = what.size() > 1;
    return cat("how much ", join(what, are_several && what.size() == 2 ? " and " : ", "), " add",
               are_several ? "" : "s", " is not known");
}

CostView cost_view_of(const perf::CostedKernel& of, const artifact::TargetSpec& target,
                      const std::vector<compiler::access::Access>& accesses) {
    return {perf::cost_of(of, target, accesses), {}, "there is no compiler"};
}

perf::BlockNeeds needs_of(const CostView& cost) {
    perf::BlockNeeds needs = perf::needs_of(cost);
    if (cost.facts) {
        needs.registers = cost.facts->registers;
        needs.static_shared = cost.facts->static_shared_bytes;
        needs.barriers = cost.facts->barriers;
    }
    return needs;
}

void add_facts(const KernelFacts& facts, const artifact::TargetSpec& target, CostView& cost) {
    cost.facts = facts;
    cost.facts_unknown.clear();
    set_occupancy(target, needs_of(cost), cost);
}

void add_machine_code(Work& work, const PreviewRequest& request, const ir::ModuleRef& script,
                      const ir::Function& kernel, const SymbolValues& sizes, CostView& cost) {
    RunRequest run;
    run.tools = request.tools;
    run.contracts = request.contracts;
    run.cancelled = request.cancelled;
    Callable callable;
    callable.module = script;
    const artifact::TargetSpec target = target_of(request, *script);
    const std::vector<KernelView> kernels =
        figures_of(work, run, callable, target, {{kernel.name, perf::resolve(kernel, sizes).or_else(0), 1}});
    if (kernels.empty())
        return;
    cost.facts = kernels.front().facts;
    cost.facts_unknown = kernels.front().unavailable;
    set_occupancy(target, needs_of(cost), cost);
}

} // namespace hidet::session
