// SPDX-License-Identifier: Apache-2.0
// Graphviz' `dot` on the same graphs, and one measure for the drawings of both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/drawing/flat.h"

namespace hidet::bench {

using Line = std::vector<drawing::Point>;

struct Drawing {
    std::vector<double> levels; // the middles of the layers, from the top
    std::vector<Line> edges;    // as drawn, downwards, curves in small steps
    double seconds = 0;         // of the processor
    bool is_stopped = false;    // took longer than it may; nothing else is there
};

Drawing drawing_of(const drawing::FlatGraph& graph, const drawing::FlatDrawing& layout);

bool has_dot();
// The same boxes, the same distances between boxes and layers; everything else as `dot` does it.
Drawing drawn_by_dot(const drawing::FlatGraph& graph, const drawing::FlatOptions& options, int seconds);

// Edges are straight between the middles of two neighbouring layers: how many pairs change sides?
std::uint64_t crossings(const Drawing& drawing);
double total_length(const Drawing& drawing);

} // namespace hidet::bench
