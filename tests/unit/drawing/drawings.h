// SPDX-License-Identifier: Apache-2.0
// Graphs to draw, and what must be true of every drawing.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/drawing/flat.h"

namespace hidet::test {

// The same numbers on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(seed * 2654435769u + 1) {}
    std::uint32_t below(std::uint32_t limit) {
        m_state = m_state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>((m_state >> 33) % limit);
    }

private:
    std::uint64_t m_state;
};

drawing::FlatNode box(double width = 60, double height = 28);
// Edges lead from lower to higher numbers, mostly to near ones. `extra`: edges beyond one for each node, in percent.
drawing::FlatGraph random_graph(std::uint64_t seed, std::uint32_t nodes, std::uint32_t extra);
// Edges of "0>1 1>2": ports in the order in which they are named.
drawing::FlatGraph graph_of(const std::string& edges);

// Empty, or the first thing that is wrong: boxes overlap, an edge goes up, misses its port, or passes through a box.
std::string fault_of(const drawing::FlatGraph& graph, const drawing::FlatDrawing& layout);
// Pairs of edges that change sides between two layers, compared pair by pair.
std::uint64_t counted_crossings(const drawing::FlatGraph& graph, const drawing::FlatDrawing& layout);
bool same(const drawing::FlatDrawing& a, const drawing::FlatDrawing& b);

} // namespace hidet::test
