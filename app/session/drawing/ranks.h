// SPDX-License-Identifier: Apache-2.0
// Which layer every node is in: each edge goes at least one layer down, and the sum of their lengths is least.
#pragma once

#include "app/session/drawing/flat.h"

namespace hidet::drawing {

// Edges that close a cycle, found by a walk from the first nodes on; without them the graph has none. An edge of a node to
// itself is one.
std::vector<char> edges_of_cycles(const FlatGraph& graph);

// From 0 on, by node. `is_broken` edges do not count.
std::vector<std::uint32_t> assign_layers(const FlatGraph& graph, const std::vector<char>& is_broken,
                                         const FlatOptions& options);

} // namespace hidet::drawing
