// SPDX-License-Identifier: Apache-2.0
// A graph for drawing programs: Graphviz's DOT, and the JSON that Hidet's variant of Netron opens.
#pragma once

#include <string>

#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

// Constants are drawn where they are not scalars; groups of several operators are boxes around them.
std::string dot_text(const Graph& graph, const Partition* partition = nullptr);
std::string netron_json(const Graph& graph, const Partition* partition = nullptr);

} // namespace hidet::graph
