// SPDX-License-Identifier: Apache-2.0
#include "app/session/drawing/layers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hidet::drawing {

namespace {

Length scaled(double length) {
    return std::llround(length * kScale);
}

class Cutter {
public:
    Cutter(const FlatGraph& graph, const std::vector<char>& is_broken, const std::vector<std::uint32_t>& layer_of,
           const FlatOptions& options)
        : m_graph(graph), m_is_broken(is_broken), m_layer_of(layer_of), m_options(options) {}

    Layers cut() {
        m_layers.nodes = static_cast<std::uint32_t>(m_graph.nodes.size());
        m_layers.layer = m_layer_of;
        for (const FlatNode& node : m_graph.nodes)
            m_layers.half.push_back((scaled(node.size.width) + 1) / 2);
        m_layers.trunk_of.assign(m_graph.edges.size(), UINT32_MAX);
        m_layers.input_at.assign(m_graph.edges.size(), 0);
        sort_edges();
        for (std::size_t first = 0; first < m_sorted.size();) {
            std::size_t last = first + 1;
            while (m_options.has_trunks && last < m_sorted.size() && share_trunk(m_sorted[first], m_sorted[last]))
                ++last;
            add_trunk(std::span(m_sorted).subspan(first, last - first));
            first = last;
        }
        index_segments();
        fill_layers();
        return std::move(m_layers);
    }

private:
    // By source and port, then from the shortest to the longest.
    void sort_edges() {
        for (std::uint32_t i = 0; i < m_graph.edges.size(); ++i)
            if (!m_is_broken[i])
                m_sorted.push_back(i);
        std::stable_sort(m_sorted.begin(), m_sorted.end(), [this](std::uint32_t a, std::uint32_t b) {
            const FlatEdge &x = m_graph.edges[a], &y = m_graph.edges[b];
            if (x.from != y.from)
                return x.from < y.from;
            if (x.output != y.output)
                return x.output < y.output;
            return m_layer_of[x.to] < m_layer_of[y.to];
        });
    }
    bool share_trunk(std::uint32_t a, std::uint32_t b) const {
        return m_graph.edges[a].from == m_graph.edges[b].from && m_graph.edges[a].output == m_graph.edges[b].output;
    }

    Length at(double offset, const FlatNode& node) const {
        return m_options.ports == Ports::Nearest || node.has_free_ports ? 0 : scaled(offset - node.size.width / 2);
    }
    void add_trunk(std::span<const std::uint32_t> edges) {
        const FlatEdge& longest = m_graph.edges[edges.back()];
        const FlatNode& source = m_graph.nodes[longest.from];
        const std::uint32_t top = m_layer_of[longest.from];
        Trunk trunk;
        trunk.source = longest.from;
        trunk.source_at = at(output_offset(source, longest.output), source);
        trunk.first_bend = static_cast<std::uint32_t>(m_layers.size());
        trunk.bends = m_layer_of[longest.to] - top - 1;
        trunk.edges = static_cast<std::uint32_t>(edges.size());
        const std::uint32_t number = static_cast<std::uint32_t>(m_layers.trunks.size());
        std::size_t passed = 0; // edges that have branched off
        for (std::uint32_t i = 0; i <= trunk.bends; ++i) {
            const std::uint32_t upper = i == 0 ? trunk.source : trunk.first_bend + i - 1;
            const Length upper_at = i == 0 ? trunk.source_at : 0;
            while (passed < edges.size() && m_layer_of[m_graph.edges[edges[passed]].to] == top + i + 1) {
                const std::uint32_t id = edges[passed++];
                const FlatEdge& edge = m_graph.edges[id];
                const FlatNode& to = m_graph.nodes[edge.to];
                m_layers.input_at[id] = at(input_offset(to, edge.input), to);
                m_layers.segments.push_back({upper, edge.to, upper_at, m_layers.input_at[id], 1, id, number});
            }
            if (i == trunk.bends)
                break;
            m_layers.layer.push_back(top + i + 1);
            m_layers.half.push_back(0);
            m_layers.segments.push_back({upper, trunk.first_bend + i, upper_at, 0,
                                         static_cast<std::uint32_t>(edges.size() - passed), UINT32_MAX, number});
        }
        for (std::uint32_t edge : edges)
            m_layers.trunk_of[edge] = number;
        m_layers.trunks.push_back(trunk);
    }

    static void index(std::size_t vertices, std::size_t count, auto vertex_of, auto at,
                      std::vector<std::uint32_t>& first, std::vector<std::uint32_t>& list) {
        first.assign(vertices + 1, 0);
        for (std::uint32_t i = 0; i < count; ++i)
            ++first[vertex_of(i) + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        list.resize(count);
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (std::uint32_t i = 0; i < count; ++i)
            list[next[vertex_of(i)]++] = i;
        for (std::size_t v = 0; v < vertices; ++v)
            std::stable_sort(list.begin() + first[v], list.begin() + first[v + 1],
                             [&](std::uint32_t a, std::uint32_t b) { return at(a) < at(b); });
    }
    void index_segments() {
        const std::vector<Segment>& all = m_layers.segments;
        index(
            m_layers.size(), all.size(), [&](std::uint32_t i) { return all[i].upper; },
            [&](std::uint32_t i) { return all[i].upper_at; }, m_layers.down_first, m_layers.down);
        index(
            m_layers.size(), all.size(), [&](std::uint32_t i) { return all[i].lower; },
            [&](std::uint32_t i) { return all[i].lower_at; }, m_layers.up_first, m_layers.up);
    }
    void fill_layers() {
        std::uint32_t count = 0;
        for (std::uint32_t layer : m_layers.layer)
            count = std::max(count, layer + 1);
        m_layers.order.resize(count);
        m_layers.position.resize(m_layers.size());
        for (std::uint32_t i = 0; i < m_layers.size(); ++i) {
            m_layers.position[i] = static_cast<std::uint32_t>(m_layers.order[m_layers.layer[i]].size());
            m_layers.order[m_layers.layer[i]].push_back(i);
        }
    }

    const FlatGraph& m_graph;
    const std::vector<char>& m_is_broken;
    const std::vector<std::uint32_t>& m_layer_of;
    const FlatOptions& m_options;
    std::vector<std::uint32_t> m_sorted;
    Layers m_layers;
};

} // namespace

Layers cut_into_layers(const FlatGraph& graph, const std::vector<char>& is_broken,
                       const std::vector<std::uint32_t>& layer_of, const FlatOptions& options) {
    return Cutter(graph, is_broken, layer_of, options).cut();
}

namespace {

// Ports are spread evenly over the width of the vertex.
Length place_of_port(const Layers& layers, std::uint32_t vertex, std::size_t port, std::size_t count) {
    const Length width = 2 * layers.half[vertex];
    return width * static_cast<Length>(2 * port + 1) / static_cast<Length>(2 * count) - width / 2;
}

void sort_down(Layers& layers, std::uint32_t vertex, auto key) {
    const auto down = std::span(layers.down).subspan(layers.down_first[vertex], layers.below(vertex).size());
    std::stable_sort(down.begin(), down.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
}

// The segments of one value leave side by side; the only one that does not end at once leaves in the middle.
void spread_outputs(Layers& layers, const FlatGraph& graph, std::uint32_t vertex) {
    sort_down(layers, vertex, [&](std::uint32_t i) { return layers.position[layers.segments[i].lower]; });
    const auto down = layers.below(vertex);
    const auto goes_on = [&](std::uint32_t i) {
        const std::uint32_t lower = layers.segments[i].lower;
        return layers.is_bend(lower) || !graph.nodes[lower].is_stub;
    };
    const auto main = std::size_t(std::ranges::find_if(down, goes_on) - down.begin());
    const bool is_only = std::ranges::count_if(down, goes_on) == 1;
    const double width = static_cast<double>(2 * layers.half[vertex]);
    for (std::size_t i = 0; i < down.size(); ++i)
        layers.segments[down[i]].upper_at =
            is_only ? static_cast<Length>(offset_around(width, main, i, down.size())) - layers.half[vertex]
                    : place_of_port(layers, vertex, i, down.size());
}

void spread_inputs(Layers& layers, std::uint32_t vertex) {
    const auto up = std::span(layers.up).subspan(layers.up_first[vertex], layers.above(vertex).size());
    std::stable_sort(up.begin(), up.end(), [&](std::uint32_t a, std::uint32_t b) {
        return layers.position[layers.segments[a].upper] < layers.position[layers.segments[b].upper];
    });
    for (std::size_t i = 0; i < up.size(); ++i) {
        Segment& segment = layers.segments[up[i]];
        segment.lower_at = place_of_port(layers, vertex, i, up.size());
        layers.input_at[segment.edge] = segment.lower_at;
    }
}

} // namespace

void spread_ports(Layers& layers, const FlatGraph& graph, const FlatOptions& options) {
    for (std::uint32_t vertex = 0; vertex < layers.nodes; ++vertex) {
        const FlatNode& node = graph.nodes[vertex];
        const bool is_free = options.ports == Ports::Nearest || node.has_free_ports;
        if (is_free || (node.outputs == 1 && node.output_at.empty()))
            spread_outputs(layers, graph, vertex);
        if (is_free)
            spread_inputs(layers, vertex);
    }
    layers.output_at.assign(graph.edges.size(), 0);
    for (const Segment& segment : layers.segments)
        if (layers.is_bend(segment.upper))
            continue;
        else if (segment.edge != UINT32_MAX)
            layers.output_at[segment.edge] = segment.upper_at;
        else
            layers.trunks[segment.trunk].source_at = segment.upper_at;
}

} // namespace hidet::drawing
