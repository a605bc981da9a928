// SPDX-License-Identifier: Apache-2.0
// A graph that a script has traced.
#pragma once

#include <memory>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

struct TracedGraph {
    std::shared_ptr<const Graph> graph;
    Span site; // of the call of trace_from()
};

} // namespace hidet::graph
