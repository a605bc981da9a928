// SPDX-License-Identifier: Apache-2.0
// Graphs that a script has traced.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

// With what optimise() found out about it, if it has been called.
struct ScriptGraph {
    Graph graph;
    std::optional<Partition> partition;
    std::string mma = {}; // of the GraphOptions that it was optimised with
};

struct TracedGraph {
    std::shared_ptr<const Graph> graph;
    Span site; // of the call of trace_from()
};

} // namespace hidet::graph
