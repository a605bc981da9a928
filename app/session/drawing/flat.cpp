// SPDX-License-Identifier: Apache-2.0
// The steps of a layered drawing, one after the other, for each connected part; parts stand side by side.
#include "app/session/drawing/flat.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/session/drawing/coordinates.h"
#include "app/session/drawing/ordering.h"
#include "app/session/drawing/ranks.h"

namespace hidet::drawing {

namespace {

double offset(double width, std::uint32_t count, const std::vector<double>& at, std::uint32_t port) {
    if (port < at.size())
        return at[port];
    return width * (port + 0.5) / std::max(count, port + 1);
}

// One connected part, or a graph with pins.
class PartLayout {
public:
    PartLayout(const FlatGraph& graph, const FlatOptions& options) : m_graph(graph), m_options(options) {}

    FlatDrawing run() {
        const std::vector<char> is_broken = edges_of_cycles(m_graph);
        m_layout.layers = assign_layers(m_graph, is_broken, m_options);
        if (is_cancelled())
            return cancelled();
        Layers layers = cut_into_layers(m_graph, is_broken, m_layout.layers, m_options);
        m_layout.crossings = reduce_crossings(layers, m_graph, m_options);
        if (is_cancelled())
            return cancelled();
        spread_ports(layers, m_graph, m_options);
        const std::vector<Length> x = assign_x(layers, m_graph, m_options);
        if (is_cancelled())
            return cancelled();
        for (std::uint32_t i = 0; i < is_broken.size(); ++i)
            if (is_broken[i])
                m_layout.broken.push_back(i);
        place(layers, x);
        route(layers, x);
        return std::move(m_layout);
    }

private:
    bool is_cancelled() const { return m_options.cancelled && m_options.cancelled->load(std::memory_order_relaxed); }
    static FlatDrawing cancelled() {
        FlatDrawing layout;
        layout.is_cancelled = true;
        return layout;
    }
    static double unscaled(Length length) { return static_cast<double>(length) / kScale; }

    void place(const Layers& layers, const std::vector<Length>& x) {
        std::vector<double> heights(layers.order.size(), 0);
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i)
            heights[m_layout.layers[i]] = std::max(heights[m_layout.layers[i]], m_graph.nodes[i].size.height);
        double y = 0;
        for (std::size_t i = 0; i < heights.size(); ++i) {
            m_tops.push_back(y);
            m_bottoms.push_back(y + heights[i]);
            const bool is_beside_ports = heights[i] == 0 || (i + 1 < heights.size() && heights[i + 1] == 0);
            y += heights[i] + (is_beside_ports ? m_options.pin_gap : m_options.layer_gap);
        }
        m_layout.size.height = m_bottoms.empty() ? 0 : m_bottoms.back();
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            const Size& size = m_graph.nodes[i].size;
            const std::uint32_t layer = m_layout.layers[i];
            const double slack = m_bottoms[layer] - m_tops[layer] - size.height;
            m_layout.nodes.push_back({unscaled(x[i]) - size.width / 2, m_tops[layer] + slack / 2});
        }
        for (std::uint32_t v = 0; v < layers.size(); ++v)
            m_layout.size.width = std::max(m_layout.size.width, unscaled(x[v] + layers.half[v]));
    }

    void add(Point point, std::size_t first) {
        std::vector<Point>& points = m_layout.points;
        if (points.size() > first && points.back() == point)
            return;
        if (points.size() >= first + 2 && points.back().x == point.x && points[points.size() - 2].x == point.x)
            points.back() = point;
        else
            points.push_back(point);
    }
    void route(const Layers& layers, const std::vector<Length>& x) {
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            const std::uint32_t first = static_cast<std::uint32_t>(m_layout.points.size());
            m_layout.routes.push_back(first);
            if (layers.trunk_of[i] == UINT32_MAX)
                continue;
            const FlatEdge& edge = m_graph.edges[i];
            const Trunk& trunk = layers.trunks[layers.trunk_of[i]];
            const std::uint32_t top = m_layout.layers[edge.from], bottom = m_layout.layers[edge.to];
            const double start = unscaled(x[edge.from] + (bottom == top + 1 ? layers.output_at[i] : trunk.source_at));
            const double end = unscaled(x[edge.to] + layers.input_at[i]);
            add({start, m_layout.nodes[edge.from].y + m_graph.nodes[edge.from].size.height}, first);
            add({start, m_bottoms[top]}, first);
            for (std::uint32_t layer = top + 1; layer < bottom; ++layer) {
                const double bend = unscaled(x[trunk.first_bend + layer - top - 1]);
                add({bend, m_tops[layer]}, first);
                add({bend, m_bottoms[layer]}, first);
            }
            add({end, m_tops[bottom]}, first);
            add({end, m_layout.nodes[edge.to].y}, first);
        }
        m_layout.routes.push_back(static_cast<std::uint32_t>(m_layout.points.size()));
    }

    const FlatGraph& m_graph;
    const FlatOptions& m_options;
    FlatDrawing m_layout;
    std::vector<double> m_tops, m_bottoms; // of layers
};

// The connected part of every node, numbered by their first nodes.
std::vector<std::uint32_t> parts_of(const FlatGraph& graph, std::uint32_t& count) {
    std::vector<std::uint32_t> parent(graph.nodes.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto find = [&](std::uint32_t node) {
        while (parent[node] != node)
            node = parent[node] = parent[parent[node]];
        return node;
    };
    for (const FlatEdge& edge : graph.edges) {
        const std::uint32_t a = find(edge.from), b = find(edge.to);
        parent[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::uint32_t> part(graph.nodes.size());
    for (std::uint32_t i = 0; i < part.size(); ++i)
        part[i] = find(i) == i ? count++ : part[find(i)];
    return part;
}

bool has_pins(const FlatGraph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [](const FlatNode& node) { return node.pin != Pin::None; });
}

class PartsLayout {
public:
    PartsLayout(const FlatGraph& graph, const FlatOptions& options, const std::vector<std::uint32_t>& part,
                std::uint32_t count)
        : m_graph(graph), m_options(options), m_part(part), m_parts(count) {}

    FlatDrawing run() {
        split();
        m_result.nodes.resize(m_graph.nodes.size());
        m_result.layers.resize(m_graph.nodes.size());
        for (Part& part : m_parts) {
            part.layout = PartLayout(part.graph, m_options).run();
            if (part.layout.is_cancelled)
                return std::move(part.layout);
            m_result.crossings += part.layout.crossings;
        }
        place();
        join_routes();
        return std::move(m_result);
    }

private:
    struct Part {
        FlatGraph graph;
        std::vector<std::uint32_t> nodes, edges;
        FlatDrawing layout;
        Point at;
    };
    void split() {
        m_local.resize(m_graph.nodes.size());
        for (std::uint32_t i = 0; i < m_graph.nodes.size(); ++i) {
            Part& part = m_parts[m_part[i]];
            m_local[i] = static_cast<std::uint32_t>(part.nodes.size());
            part.nodes.push_back(i);
            part.graph.nodes.push_back(m_graph.nodes[i]);
        }
        for (std::uint32_t i = 0; i < m_graph.edges.size(); ++i) {
            FlatEdge edge = m_graph.edges[i];
            Part& part = m_parts[m_part[edge.from]];
            edge.from = m_local[edge.from];
            edge.to = m_local[edge.to];
            m_local_edge.push_back(static_cast<std::uint32_t>(part.edges.size()));
            part.edges.push_back(i);
            part.graph.edges.push_back(edge);
        }
    }
    // Rows from left to right; a row ends when it is as wide as the largest part, and about as wide as all are high.
    void place() {
        const double gap = 2 * m_options.node_gap;
        double widest = 0, area = 0;
        for (const Part& part : m_parts) {
            widest = std::max(widest, part.layout.size.width);
            area += (part.layout.size.width + gap) * (part.layout.size.height + gap);
        }
        double highest = 0;
        for (const Part& part : m_parts)
            highest = std::max(highest, part.layout.size.height);
        const double limit = std::max({widest, std::sqrt(area) * 1.3, highest > 0 ? area / highest : 0});
        double x = 0, y = 0, height = 0;
        for (Part& part : m_parts) {
            const Size& size = part.layout.size;
            if (x > 0 && x + size.width > limit) {
                y += height + gap;
                x = height = 0;
            }
            part.at = {x, y};
            x += size.width + gap;
            height = std::max(height, size.height);
            m_result.size.width = std::max(m_result.size.width, part.at.x + size.width);
            m_result.size.height = std::max(m_result.size.height, part.at.y + size.height);
            for (std::size_t i = 0; i < part.nodes.size(); ++i) {
                m_result.nodes[part.nodes[i]] = {part.layout.nodes[i].x + part.at.x,
                                                 part.layout.nodes[i].y + part.at.y};
                m_result.layers[part.nodes[i]] = part.layout.layers[i];
            }
            for (std::uint32_t edge : part.layout.broken)
                m_result.broken.push_back(part.edges[edge]);
        }
        std::sort(m_result.broken.begin(), m_result.broken.end());
    }
    void join_routes() {
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            const Part& part = m_parts[m_part[m_graph.edges[i].from]];
            m_result.routes.push_back(static_cast<std::uint32_t>(m_result.points.size()));
            for (Point point : part.layout.route(m_local_edge[i]))
                m_result.points.push_back({point.x + part.at.x, point.y + part.at.y});
        }
        m_result.routes.push_back(static_cast<std::uint32_t>(m_result.points.size()));
    }

    const FlatGraph& m_graph;
    const FlatOptions& m_options;
    const std::vector<std::uint32_t>& m_part;
    std::vector<Part> m_parts;
    std::vector<std::uint32_t> m_local, m_local_edge;
    FlatDrawing m_result;
};

} // namespace

double offset_around(double width, std::size_t main, std::size_t port, std::size_t count) {
    if (port == main)
        return width / 2;
    const std::size_t first = port < main ? 0 : main + 1;
    const std::size_t end = port < main ? main : count;
    const double share = (static_cast<double>(port - first) + 0.5) / static_cast<double>(end - first);
    return width / 2 * (port < main ? share : 1 + share);
}

double input_offset(const FlatNode& node, std::uint32_t port) {
    return offset(node.size.width, node.inputs, node.input_at, port);
}
double output_offset(const FlatNode& node, std::uint32_t port) {
    return offset(node.size.width, node.outputs, node.output_at, port);
}

FlatDrawing lay_out(const FlatGraph& graph, const FlatOptions& options) {
    std::uint32_t count = 0;
    const std::vector<std::uint32_t> part = parts_of(graph, count);
    if (count <= 1 || has_pins(graph))
        return PartLayout(graph, options).run();
    return PartsLayout(graph, options, part, count).run();
}

} // namespace hidet::drawing
