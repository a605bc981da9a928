// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/plan.h"

namespace hidet::graph {

Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options) {
    return make_plan(
        graph, partition, options, [&](const Graph& whole, const Group& group, const artifact::TargetSpec& target) {
            std::optional<AnchorSchedule> schedule;
            if (options.templates)
                schedule =
                    options.templates->schedule({whole, group.anchor, target, !has_epilogue(group)}, group.schedule);
            return lower_group(whole, group, target, schedule ? &*schedule : nullptr);
        });
}

Plan make_plan(const Graph& graph, const Partition& partition, const artifact::TargetSpec& target) {
    PlanOptions options;
    options.target = target;
    return make_plan(graph, partition, options);
}

} // namespace hidet::graph
