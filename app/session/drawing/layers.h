// SPDX-License-Identifier: Apache-2.0
// A graph cut into layers: an edge that spans several has a bend (a vertex without size) in each one that it passes, so that
// every segment joins neighbouring layers. The edges of one value share bends: they run as one trunk with branches.
#pragma once

#include "app/session/drawing/flat.h"

namespace hidet::drawing {

// Lengths of x in whole numbers: comparisons are exact, and sums do not depend on their order.
using Length = std::int64_t;
constexpr double kScale = 4;

struct Segment {
    std::uint32_t upper = 0;
    std::uint32_t lower = 0;
    Length upper_at = 0; // of its ends, from the middles of the vertices
    Length lower_at = 0;
    std::uint32_t edges = 1;         // that run here
    std::uint32_t edge = UINT32_MAX; // that ends here
    std::uint32_t trunk = 0;
};

struct Trunk {
    std::uint32_t source = 0;
    Length source_at = 0; // where the segment to the first bend leaves
    std::uint32_t first_bend = 0;
    std::uint32_t bends = 0;
    std::uint32_t edges = 0;
};

struct Layers {
    std::uint32_t nodes = 0;          // vertices from here on are bends
    std::vector<std::uint32_t> layer; // of every vertex
    std::vector<Length> half;         // of its width
    std::vector<Segment> segments;
    std::vector<std::uint32_t> down_first, down; // segments below a vertex, from left to right port
    std::vector<std::uint32_t> up_first, up;     // above it
    std::vector<Trunk> trunks;
    std::vector<std::uint32_t> trunk_of;           // every edge; broken edges have none
    std::vector<Length> output_at;                 // every edge without bends: its upper end
    std::vector<Length> input_at;                  // every edge: its lower end from the middle of the node
    std::vector<std::vector<std::uint32_t>> order; // vertices of each layer, from left to right
    std::vector<std::uint32_t> position;           // of every vertex in its layer

    std::size_t size() const { return layer.size(); }
    bool is_bend(std::uint32_t vertex) const { return vertex >= nodes; }
    std::span<const std::uint32_t> below(std::uint32_t vertex) const {
        return std::span(down).subspan(down_first[vertex], down_first[vertex + 1] - down_first[vertex]);
    }
    std::span<const std::uint32_t> above(std::uint32_t vertex) const {
        return std::span(up).subspan(up_first[vertex], up_first[vertex + 1] - up_first[vertex]);
    }
    void number_positions(std::uint32_t in_layer) {
        for (std::uint32_t i = 0; i < order[in_layer].size(); ++i)
            position[order[in_layer][i]] = i;
    }
};

// Vertices of a layer stand in the order in which they are made.
Layers cut_into_layers(const FlatGraph& graph, const std::vector<char>& is_broken,
                       const std::vector<std::uint32_t>& layer_of, const FlatOptions& options);

// Once the vertices have their order: several segments of a node's one value leave side by side. Where ports are free,
// cut_into_layers lets all segments meet in the middle of the node; they are spread in the order in which they arrive.
void spread_ports(Layers& layers, const FlatGraph& graph, const FlatOptions& options);

} // namespace hidet::drawing
