// SPDX-License-Identifier: Apache-2.0
// Chooses how each operator is shared by the processes of a model.
#pragma once

#include <map>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/split/placement.h"

namespace hidet::graph {

struct Chosen {
    std::map<NodeId, Way> ways;  // of all nodes
    std::map<NodeId, bool> more; // there were others than the whole one
};

// The same on all processes: it depends on the graph, the target and the count alone.
Chosen choose_ways(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count);

} // namespace hidet::graph
