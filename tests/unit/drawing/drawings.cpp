// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/drawing/drawings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace hidet::test {

using namespace drawing;

namespace {

constexpr double kNear = 0.51; // ports are rounded to quarters

bool overlap(double a, double b, double c, double d) {
    return a < d - 1e-6 && c < b - 1e-6;
}

std::string named(const char* what, std::size_t a, std::size_t b) {
    return std::string(what) + " " + std::to_string(a) + ", " + std::to_string(b);
}

std::string fault_of_boxes(const FlatGraph& graph, const FlatDrawing& layout) {
    for (std::size_t a = 0; a < graph.nodes.size(); ++a) {
        const Point at = layout.nodes[a];
        const Size size = graph.nodes[a].size;
        if (at.x < -1e-6 || at.y < -1e-6 || at.x + size.width > layout.size.width + 1 ||
            at.y + size.height > layout.size.height + 1e-6)
            return named("a box is outside of the drawing:", a, a);
        for (std::size_t b = 0; b < a; ++b)
            if (overlap(at.x, at.x + size.width, layout.nodes[b].x, layout.nodes[b].x + graph.nodes[b].size.width) &&
                overlap(at.y, at.y + size.height, layout.nodes[b].y, layout.nodes[b].y + graph.nodes[b].size.height))
                return named("boxes overlap:", a, b);
    }
    return {};
}

std::string fault_of_ends(const FlatGraph& graph, const FlatDrawing& layout, std::size_t i) {
    const FlatEdge& edge = graph.edges[i];
    const auto route = layout.route(i);
    const Point from = layout.nodes[edge.from], to = layout.nodes[edge.to];
    const FlatNode &source = graph.nodes[edge.from], &target = graph.nodes[edge.to];
    if (route.size() < 2)
        return named("an edge has no way:", i, i);
    if (std::abs(route.front().y - from.y - source.size.height) > 1e-6 || std::abs(route.back().y - to.y) > 1e-6)
        return named("an edge does not reach from box to box:", edge.from, edge.to);
    const double out = route.front().x - from.x;
    const bool leaves_well = source.outputs == 1 ? out > 0 && out < source.size.width
                                                 : std::abs(out - output_offset(source, edge.output)) < kNear;
    if (!leaves_well || std::abs(route.back().x - to.x - input_offset(target, edge.input)) > kNear)
        return named("an edge misses its port:", edge.from, edge.to);
    return {};
}

// A curve between two layers stays within the rectangle of its ends.
std::string fault_of_way(const FlatGraph& graph, const FlatDrawing& layout, std::size_t i) {
    const auto route = layout.route(i);
    for (std::size_t k = 1; k < route.size(); ++k) {
        const Point a = route[k - 1], b = route[k];
        if (b.y < a.y)
            return named("an edge goes up:", graph.edges[i].from, graph.edges[i].to);
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            const Point at = layout.nodes[n];
            const Size size = graph.nodes[n].size;
            if (overlap(std::min(a.x, b.x) - 1e-3, std::max(a.x, b.x) + 1e-3, at.x, at.x + size.width) &&
                overlap(a.y, b.y, at.y, at.y + size.height))
                return named("an edge passes through a box:", i, n);
        }
    }
    return {};
}

double x_at(std::span<const Point> route, double y) {
    if (y <= route.front().y)
        return route.front().x;
    for (std::size_t k = 1; k < route.size(); ++k)
        if (y <= route[k].y)
            return route[k - 1].x +
                   (route[k].x - route[k - 1].x) * (y - route[k - 1].y) / std::max(route[k].y - route[k - 1].y, 1e-9);
    return route.back().x;
}

} // namespace

FlatNode box(double width, double height) {
    FlatNode node;
    node.size = {width, height};
    return node;
}

FlatGraph random_graph(std::uint64_t seed, std::uint32_t nodes, std::uint32_t extra) {
    Random random(seed);
    FlatGraph graph;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        FlatNode node = box(20 + random.below(120), 10 + random.below(30));
        node.inputs = 0;
        node.outputs = 1 + random.below(3);
        graph.nodes.push_back(node);
    }
    const auto connect = [&](std::uint32_t from, std::uint32_t to) {
        graph.edges.push_back({from, to, random.below(graph.nodes[from].outputs), graph.nodes[to].inputs++});
    };
    for (std::uint32_t i = 1; i < nodes; ++i)
        if (random.below(10) > 0)
            connect(i - 1 - random.below(std::min(i, 6u)), i);
    for (std::uint32_t i = 0; nodes > 1 && i < nodes * extra / 100; ++i) {
        const std::uint32_t to = 1 + random.below(nodes - 1);
        connect(random.below(4) == 0 ? random.below(to) : to - 1 - random.below(std::min(to, 12u)), to);
    }
    return graph;
}

FlatGraph graph_of(const std::string& edges) {
    FlatGraph graph;
    std::istringstream words(edges);
    std::uint32_t from = 0, to = 0;
    char arrow = 0;
    while (words >> from >> arrow >> to) {
        while (graph.nodes.size() <= std::max(from, to)) {
            graph.nodes.push_back(box());
            graph.nodes.back().inputs = 0;
        }
        graph.edges.push_back({from, to, 0, graph.nodes[to].inputs++});
    }
    return graph;
}

std::string fault_of(const FlatGraph& graph, const FlatDrawing& layout) {
    if (layout.nodes.size() != graph.nodes.size() || layout.routes.size() != graph.edges.size() + 1)
        return "the drawing is not of this graph";
    std::string fault = fault_of_boxes(graph, layout);
    const std::set<std::uint32_t> broken(layout.broken.begin(), layout.broken.end());
    for (std::uint32_t i = 0; i < graph.edges.size() && fault.empty(); ++i) {
        if (broken.count(i))
            continue;
        fault = fault_of_ends(graph, layout, i);
        if (fault.empty())
            fault = fault_of_way(graph, layout, i);
    }
    return fault;
}

std::uint64_t counted_crossings(const FlatGraph& graph, const FlatDrawing& layout) {
    std::set<double> levels;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        levels.insert(std::round(layout.nodes[i].y + graph.nodes[i].size.height / 2));
    std::uint64_t count = 0;
    for (auto level = levels.begin(); std::next(level) != levels.end(); ++level) {
        std::vector<std::pair<double, double>> lines;
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            const auto route = layout.route(i);
            if (!route.empty() && route.front().y < *std::next(level) && route.back().y > *level)
                lines.push_back({x_at(route, *level), x_at(route, *std::next(level))});
        }
        for (std::size_t a = 0; a < lines.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                count += (lines[a].first - lines[b].first) * (lines[a].second - lines[b].second) < 0;
    }
    return count;
}

bool same(const FlatDrawing& a, const FlatDrawing& b) {
    return a.nodes == b.nodes && a.points == b.points && a.routes == b.routes && a.layers == b.layers &&
           a.size == b.size && a.broken == b.broken && a.crossings == b.crossings;
}

} // namespace hidet::test
