// SPDX-License-Identifier: Apache-2.0
// What every drawing of a flat graph promises.
#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <string>

#include "tests/unit/drawing/drawings.h"

using namespace hidet;
using namespace hidet::drawing;
using namespace hidet::test;

namespace {

void random_graphs_are_drawn_well(Ports ports) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const FlatGraph graph = random_graph(seed, 2 + static_cast<std::uint32_t>(seed * 3 % 90), 10 * (seed % 8));
        FlatOptions options;
        options.has_trunks = seed % 3 != 0;
        options.ports = ports;
        const FlatDrawing layout = lay_out(graph, options);
        std::string fault = fault_of(graph, layout);
        if (ports == Ports::Nearest && fault.find("port") != std::string::npos)
            fault.clear();
        if (!fault.empty())
            FAIL("seed ", std::to_string(seed), ": ", fault);
    }
}

std::uint32_t layer_sum(const FlatGraph& graph, const FlatDrawing& layout) {
    std::uint32_t sum = 0;
    for (const FlatEdge& edge : graph.edges)
        sum += layout.layers[edge.to] - layout.layers[edge.from];
    return sum;
}

TEST_CASE("parts that nothing joins stand side by side") {
    const FlatGraph graph = graph_of("0>1 1>2 3>4 4>5 6>7");
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(fault_of(graph, layout) == "");
    REQUIRE(layout.nodes[0].y == layout.nodes[3].y);
    REQUIRE(layout.nodes[3].x >= layout.nodes[0].x + graph.nodes[0].size.width);
}

TEST_CASE("edges that close a cycle are named and left out") {
    const FlatGraph graph = graph_of("0>1 1>2 2>0 2>3 3>3");
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(fault_of(graph, layout) == "");
    REQUIRE(layout.broken == (std::vector<std::uint32_t>{2, 4}));
    REQUIRE(layout.route(2).empty());
}

TEST_CASE("a value with five thousand consumers is drawn without crossings") {
    FlatGraph graph;
    constexpr std::uint32_t count = 5000;
    for (std::uint32_t i = 0; i < count + 2; ++i)
        graph.nodes.push_back(box(20, 10));
    graph.nodes.back().inputs = count;
    for (std::uint32_t i = 1; i <= count; ++i) {
        graph.edges.push_back({0, i, 0, 0});
        graph.edges.push_back({i, count + 1, 0, i - 1});
    }
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(layout.crossings == 0u);
    REQUIRE(
        std::is_sorted(layout.nodes.begin() + 1, layout.nodes.end() - 1, [](Point a, Point b) { return a.x < b.x; }));
}

TEST_CASE("pinned nodes are in the first and the last layer") {
    FlatGraph graph = graph_of("0>1 1>2 2>3 4>3 0>5 3>6");
    graph.nodes[0].pin = graph.nodes[4].pin = Pin::Top;
    graph.nodes[5].pin = graph.nodes[6].pin = Pin::Bottom;
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(fault_of(graph, layout) == "");
    REQUIRE(layout.layers[4] == 0u);
    REQUIRE(layout.layers[0] == 0u);
    REQUIRE(layout.layers[5] == 4u);
    REQUIRE(layout.layers[6] == 4u);
}

TEST_CASE("a cancelled layout says so and is empty") {
    const std::atomic<bool> cancelled = true;
    FlatOptions options;
    options.cancelled = &cancelled;
    const FlatDrawing layout = lay_out(random_graph(5, 200, 50), options);
    REQUIRE(layout.is_cancelled);
    REQUIRE(layout.nodes.empty());
}

TEST_CASE("operands arrive in their order") {
    // Both operands come from one node by ways of equal length.
    const FlatGraph graph = graph_of("0>2 0>1 1>3 2>3");
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(layout.crossings == 0u);
    REQUIRE(layout.nodes[1].x < layout.nodes[2].x);
}

TEST_CASE("nodes in a row stand below each other") {
    const FlatGraph graph = graph_of("0>1 1>2 2>3 3>4 0>4");
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(layout.nodes[1].x == layout.nodes[2].x);
    REQUIRE(layout.nodes[2].x == layout.nodes[3].x);
}

TEST_CASE("edges of one value share their way") {
    const FlatGraph graph = graph_of("0>1 1>2 2>3 3>4 0>2 0>3 0>4");
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(layout.route(4)[1].x == layout.route(6)[1].x);
    REQUIRE(layout.route(5)[1].x == layout.route(6)[1].x);
}

} // namespace

TEST_CASE("random graphs: edges go down from port to port, nothing overlaps, no edge passes through a box") {
    random_graphs_are_drawn_well(Ports::Operands);
}

TEST_CASE("the same holds when edges take the nearest port") {
    random_graphs_are_drawn_well(Ports::Nearest);
}

TEST_CASE("the crossings that are told are those that are drawn") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const FlatGraph graph = random_graph(seed, 40, 60);
        FlatOptions options;
        options.has_trunks = seed % 2 == 0;
        const FlatDrawing layout = lay_out(graph, options);
        REQUIRE(layout.crossings == counted_crossings(graph, layout));
    }
}

TEST_CASE("the same graph is drawn the same way") {
    const FlatGraph graph = random_graph(3, 300, 40);
    REQUIRE(same(lay_out(graph), lay_out(graph)));
}

TEST_CASE("layers leave no edge longer than it must be") {
    const FlatGraph graph = graph_of("0>1 1>2 2>3 4>3 5>4 5>6 6>7 7>3");
    REQUIRE(layer_sum(graph, lay_out(graph)) == 9u);
}

TEST_CASE("a graph without nodes has no size") {
    const FlatDrawing layout = lay_out(FlatGraph{});
    REQUIRE(layout.size.width == 0.0);
    REQUIRE(layout.size.height == 0.0);
}

TEST_CASE("one node fills its drawing") {
    FlatGraph graph;
    graph.nodes.push_back(box(60, 28));
    const FlatDrawing layout = lay_out(graph);
    REQUIRE(layout.size == (Size{60, 28}));
    REQUIRE(layout.nodes[0] == (Point{0, 0}));
}
