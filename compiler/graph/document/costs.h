// SPDX-License-Identifier: Apache-2.0
// What an operator costs, counted on its compute definition: a bound that no schedule can beat by being clever elsewhere.
#pragma once

#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

struct NodeCost {
    Dim flops;               // floating-point operations, a division or a function of the math library being one
    Dim bytes;               // of what has to be read, each tensor once, and written
    Dim constant_bytes = {}; // of them: of constants; only of a group
};

NodeCost cost_of(const Graph& graph, NodeId node);
// Of a kernel: what its operators hand to each other needs no memory.
NodeCost cost_of(const Graph& graph, const Group& group);

} // namespace hidet::graph
