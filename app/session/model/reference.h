// SPDX-License-Identifier: Apache-2.0
// The model as it was imported, each operator for itself, in float64: what a run is compared with, node by node.
#pragma once

#include <map>

#include "app/session/model/stages.h"

namespace hidet::session {

// Every float of the graph becomes a float64. Ids of values are others; `values` finds the double of a value.
struct DoubledGraph {
    graph::Graph graph;
    std::map<std::uint32_t, graph::ValueId> values;
};
DoubledGraph doubled(const graph::Graph& graph);
lang::TensorRef doubled(const lang::TensorRef& tensor); // integers as they are

// The values of the imported graph that are computed again after the passes: by value of the optimised graph.
std::map<std::uint32_t, graph::ValueId> counterparts(const graph::Graph& imported, const graph::Graph& optimised);

} // namespace hidet::session
