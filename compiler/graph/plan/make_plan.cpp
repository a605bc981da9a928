// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/plan.h"
#include "compiler/schedule/implementation.h"

namespace hidet::graph {

Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options) {
    const ScheduleDoor door(graph, options.templates);
    PlanOptions planning = options;
    if (!door.takes_any_thread())
        planning.threads = 1;
    return make_plan(graph, partition, planning,
                     [&](const Graph& whole, const Group& group, const artifact::TargetSpec& target) {
                         const AnchorTask task{whole, group.anchor, target, !has_epilogue(group)};
                         const auto schedule = group.parts.empty() ? door.schedule(task, group.schedule) : std::nullopt;
                         try {
                             return lower_group(whole, group, target, schedule ? &*schedule : nullptr);
                         } catch (const OpError& error) {
                             if (schedule)
                                 ScheduleDoor::refuse(task, *schedule, error.what());
                             throw;
                         }
                     });
}

} // namespace hidet::graph
