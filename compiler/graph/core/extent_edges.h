// SPDX-License-Identifier: Apache-2.0
// Extents that a host operator finds out are symbols, and whoever has such a symbol in a shape runs after it, though no value
// goes from one to the other.
#pragma once

#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

struct ExtentEdge {
    NodeId definer;
    NodeId user;
};
// In the order of the users' ids; none in a graph whose extents are known from its inputs.
std::vector<ExtentEdge> extent_edges(const Graph& graph);

// The symbols in the node's results that are not in its operands.
std::vector<std::string> defined_symbols(const Graph& graph, const Node& node);

} // namespace hidet::graph
