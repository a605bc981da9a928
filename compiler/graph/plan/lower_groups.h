// SPDX-License-Identifier: Apache-2.0
// Programs for all groups of a partition: each different one is lowered once, on several threads.
#pragma once

#include <optional>

#include "compiler/graph/plan/plan.h"

namespace hidet::graph {

struct LoweredGroups {
    struct Row {
        std::uint32_t program = 0;
        GroupProgram names; // inputs, outputs, kernels and blockers in values and nodes of this group; without module
        std::vector<NodeId> nodes;
    };
    std::vector<PlannedProgram> programs;
    std::vector<std::optional<Row>> rows; // by group; nothing for those that `is_launched` excludes
    bool cancelled = false;
};

LoweredGroups lower_groups(const Graph& graph, const Partition& partition, const PlanOptions& options,
                           const GroupLowering& lower, const std::function<bool(const Group&)>& is_launched);

} // namespace hidet::graph
