// SPDX-License-Identifier: Apache-2.0
// Where every vertex stands in its layer: nothing overlaps, long edges are straight, and edges are short.
#pragma once

#include "app/session/drawing/layers.h"

namespace hidet::drawing {

// Middles of vertices, the leftmost side of all at 0.
std::vector<Length> assign_x(const Layers& layers, const FlatGraph& graph, const FlatOptions& options);

} // namespace hidet::drawing
