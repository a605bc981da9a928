// SPDX-License-Identifier: Apache-2.0
// What an operator costs, counted on its compute definition: a bound that no schedule can beat by being clever elsewhere.
#pragma once

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

struct NodeCost {
    Dim flops; // floating-point operations, a division or a function of the math library being one
    Dim bytes; // of all inputs, each once, and all outputs
};

NodeCost cost_of(const Graph& graph, NodeId node);

} // namespace hidet::graph
