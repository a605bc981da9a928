// SPDX-License-Identifier: Apache-2.0
// What every drawing of a flat graph promises.
#include <algorithm>
#include <numeric>

#include "tests/harness/unit.h"
#include "tests/unit/graph/layout/drawings.h"

using namespace hidet;
using namespace hidet::graph::layout;
using namespace hidet::test;

namespace {

void random_graphs_are_drawn_well(Ports ports) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const FlatGraph graph = random_graph(seed, 2 + static_cast<std::uint32_t>(seed * 3 % 90), 10 * (seed % 8));
        FlatOptions options;
        options.has_trunks = seed % 3 != 0;
        options.ports = ports;
        const FlatLayout layout = lay_out(graph, options);
        std::string fault = fault_of(graph, layout);
        if (ports == Ports::Nearest && fault.find("port") != std::string::npos)
            fault.clear();
        if (!fault.empty())
            throw Failure{"seed " + std::to_string(seed) + ": " + fault};
    }
}

std::uint32_t layer_sum(const FlatGraph& graph, const FlatLayout& layout) {
    std::uint32_t sum = 0;
    for (const FlatEdge& edge : graph.edges)
        sum += layout.layers[edge.to] - layout.layers[edge.from];
    return sum;
}

void parts_stand_side_by_side() {
    const FlatGraph graph = graph_of("0>1 1>2 3>4 4>5 6>7");
    const FlatLayout layout = lay_out(graph);
    EXPECT_EQUAL(fault_of(graph, layout), "");
    EXPECT_EQUAL(layout.nodes[0].y, layout.nodes[3].y);
    EXPECT(layout.nodes[3].x >= layout.nodes[0].x + graph.nodes[0].size.width);
}

void cycles_are_broken() {
    const FlatGraph graph = graph_of("0>1 1>2 2>0 2>3 3>3");
    const FlatLayout layout = lay_out(graph);
    EXPECT_EQUAL(fault_of(graph, layout), "");
    EXPECT(layout.broken == (std::vector<std::uint32_t>{2, 4}));
    EXPECT(layout.route(2).empty());
}

void fans_are_drawn() {
    FlatGraph graph;
    constexpr std::uint32_t count = 5000;
    for (std::uint32_t i = 0; i < count + 2; ++i)
        graph.nodes.push_back(box(20, 10));
    graph.nodes.back().inputs = count;
    for (std::uint32_t i = 1; i <= count; ++i) {
        graph.edges.push_back({0, i, 0, 0});
        graph.edges.push_back({i, count + 1, 0, i - 1});
    }
    const FlatLayout layout = lay_out(graph);
    EXPECT_EQUAL(layout.crossings, 0u);
    EXPECT(
        std::is_sorted(layout.nodes.begin() + 1, layout.nodes.end() - 1, [](Point a, Point b) { return a.x < b.x; }));
}

void boundary_ports_stand_at_the_sides() {
    FlatGraph graph = graph_of("0>1 1>2 2>3 4>3 0>5 3>6");
    graph.nodes[0].pin = graph.nodes[4].pin = Pin::Top;
    graph.nodes[5].pin = graph.nodes[6].pin = Pin::Bottom;
    const FlatLayout layout = lay_out(graph);
    EXPECT_EQUAL(fault_of(graph, layout), "");
    EXPECT_EQUAL(layout.layers[4], 0u);
    EXPECT_EQUAL(layout.layers[0], 0u);
    EXPECT_EQUAL(layout.layers[5], 4u);
    EXPECT_EQUAL(layout.layers[6], 4u);
}

void a_cancelled_layout_says_so() {
    const std::atomic<bool> cancelled = true;
    FlatOptions options;
    options.cancelled = &cancelled;
    const FlatLayout layout = lay_out(random_graph(5, 200, 50), options);
    EXPECT(layout.is_cancelled);
    EXPECT(layout.nodes.empty());
}

void operands_keep_their_order() {
    // Both operands come from one node by ways of equal length.
    const FlatGraph graph = graph_of("0>2 0>1 1>3 2>3");
    const FlatLayout layout = lay_out(graph);
    EXPECT_EQUAL(layout.crossings, 0u);
    EXPECT(layout.nodes[1].x < layout.nodes[2].x);
}

void a_chain_is_straight() {
    const FlatGraph graph = graph_of("0>1 1>2 2>3 3>4 0>4");
    const FlatLayout layout = lay_out(graph);
    EXPECT_EQUAL(layout.nodes[1].x, layout.nodes[2].x);
    EXPECT_EQUAL(layout.nodes[2].x, layout.nodes[3].x);
}

void edges_of_one_value_share_their_way() {
    const FlatGraph graph = graph_of("0>1 1>2 2>3 3>4 0>2 0>3 0>4");
    const FlatLayout layout = lay_out(graph);
    EXPECT_EQUAL(layout.route(4)[1].x, layout.route(6)[1].x);
    EXPECT_EQUAL(layout.route(5)[1].x, layout.route(6)[1].x);
}

} // namespace

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    suite.run("random graphs: edges go down from port to port, nothing overlaps, no edge passes through a box",
              [] { random_graphs_are_drawn_well(Ports::Operands); });
    suite.run("the same holds when edges take the nearest port", [] { random_graphs_are_drawn_well(Ports::Nearest); });
    suite.run("the crossings that are told are those that are drawn", [] {
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            const FlatGraph graph = random_graph(seed, 40, 60);
            FlatOptions options;
            options.has_trunks = seed % 2 == 0;
            const FlatLayout layout = lay_out(graph, options);
            EXPECT_EQUAL(layout.crossings, counted_crossings(graph, layout));
        }
    });
    suite.run("the same graph is drawn the same way", [] {
        const FlatGraph graph = random_graph(3, 300, 40);
        EXPECT(same(lay_out(graph), lay_out(graph)));
    });
    suite.run("layers leave no edge longer than it must be", [] {
        const FlatGraph graph = graph_of("0>1 1>2 2>3 4>3 5>4 5>6 6>7 7>3");
        EXPECT_EQUAL(layer_sum(graph, lay_out(graph)), 9u);
    });
    suite.run("a graph without nodes has no size", [] {
        const FlatLayout layout = lay_out({});
        EXPECT_EQUAL(layout.size.width, 0.0);
        EXPECT_EQUAL(layout.size.height, 0.0);
    });
    suite.run("one node fills its drawing", [] {
        FlatGraph graph;
        graph.nodes.push_back(box(60, 28));
        const FlatLayout layout = lay_out(graph);
        EXPECT(layout.size == (Size{60, 28}));
        EXPECT(layout.nodes[0] == (Point{0, 0}));
    });
    suite.run("parts that nothing joins stand side by side", parts_stand_side_by_side);
    suite.run("edges that close a cycle are named and left out", cycles_are_broken);
    suite.run("a value with five thousand consumers is drawn without crossings", fans_are_drawn);
    suite.run("pinned nodes are in the first and the last layer", boundary_ports_stand_at_the_sides);
    suite.run("a cancelled layout says so and is empty", a_cancelled_layout_says_so);
    suite.run("operands arrive in their order", operands_keep_their_order);
    suite.run("nodes in a row stand below each other", a_chain_is_straight);
    suite.run("edges of one value share their way", edges_of_one_value_share_their_way);
    return suite.result();
}
