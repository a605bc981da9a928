// SPDX-License-Identifier: Apache-2.0
// Graphs to draw, and what must be true of every drawing.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/graph/layout/flat.h"

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

graph::layout::FlatNode box(double width = 60, double height = 28);
// Edges lead from lower to higher numbers, mostly to near ones. `extra`: edges beyond one for each node, in percent.
graph::layout::FlatGraph random_graph(std::uint64_t seed, std::uint32_t nodes, std::uint32_t extra);
// Edges of "0>1 1>2": ports in the order in which they are named.
graph::layout::FlatGraph graph_of(const std::string& edges);

// Empty, or the first thing that is wrong: boxes overlap, an edge goes up, misses its port, or passes through a box.
std::string fault_of(const graph::layout::FlatGraph& graph, const graph::layout::FlatLayout& layout);
// Pairs of edges that change sides between two layers, compared pair by pair.
std::uint64_t counted_crossings(const graph::layout::FlatGraph& graph, const graph::layout::FlatLayout& layout);
bool same(const graph::layout::FlatLayout& a, const graph::layout::FlatLayout& b);

} // namespace hidet::test
