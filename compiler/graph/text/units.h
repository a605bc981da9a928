// SPDX-License-Identifier: Apache-2.0
// What a printed graph shows as one operator: a node, or a group of nodes that share a kernel.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

struct Unit {
    std::vector<NodeId> nodes; // producers first
    std::size_t anchor = 0;    // among them
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs; // those that are read outside of it, or are results of the graph
    std::string name;             // "Relu", "FusedMatmul"
    bool is_fused() const { return nodes.size() > 1; }
};

std::vector<Unit> units_of(const Graph& graph, const Partition* partition);

} // namespace hidet::graph
