// SPDX-License-Identifier: Apache-2.0
// What must hold of a graph at any time. A violation after a pass is our bug.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// One sentence for each violation, with the node or value; empty when the graph is well formed. Linear in its size, but for
// the compute definitions, which are those that the operators make of their operands and attributes when `defines` is set.
enum class VerifyDefinitions : bool { No, Yes };
std::vector<std::string> verify(const Graph& graph, VerifyDefinitions defines = VerifyDefinitions::No);

} // namespace hidet::graph
