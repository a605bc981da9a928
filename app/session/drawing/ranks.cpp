// SPDX-License-Identifier: Apache-2.0
#include "app/session/drawing/ranks.h"

#include <algorithm>
#include <numeric>

#include "app/session/drawing/simplex.h"

namespace hidet::drawing {

namespace {

constexpr std::int64_t kEdgeWeight = 2;
constexpr std::int64_t kKeepWeight = 15; // of staying in the previous layer: more than the edges of most nodes

struct Adjacency {
    std::vector<std::uint32_t> first, edges;
    std::span<const std::uint32_t> of(std::uint32_t node) const {
        return std::span(edges).subspan(first[node], first[node + 1] - first[node]);
    }
};

Adjacency edges_out(const FlatGraph& graph) {
    Adjacency result;
    result.first.assign(graph.nodes.size() + 1, 0);
    for (const FlatEdge& edge : graph.edges)
        ++result.first[edge.from + 1];
    std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
    result.edges.resize(graph.edges.size());
    std::vector<std::uint32_t> next(result.first.begin(), result.first.end() - 1);
    for (std::uint32_t i = 0; i < graph.edges.size(); ++i)
        result.edges[next[graph.edges[i].from]++] = i;
    return result;
}

// Nodes pinned to one side are one variable; `dense` numbers what is left.
class LayerProblem {
public:
    LayerProblem(const FlatGraph& graph, const std::vector<char>& is_broken, const FlatOptions& options)
        : m_graph(graph), m_is_broken(is_broken), m_options(options) {}

    std::vector<std::uint32_t> solve() {
        number();
        add_edges();
        add_pins();
        longest_paths();
        if (m_options.keeps_layers)
            add_previous();
        minimise(m_edges, m_y, {m_options.work, m_options.cancelled});
        std::vector<std::uint32_t> layers(m_graph.nodes.size());
        std::int64_t least = INT64_MAX;
        for (std::uint32_t variable : m_variable)
            least = std::min(least, m_y[variable]);
        for (std::size_t i = 0; i < layers.size(); ++i)
            layers[i] = static_cast<std::uint32_t>(m_y[m_variable[i]] - least);
        return layers;
    }

private:
    void number() {
        m_variable.resize(m_graph.nodes.size());
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            const Pin pin = m_graph.nodes[i].pin;
            if (pin == Pin::None) {
                m_variable[i] = m_count++;
                continue;
            }
            std::uint32_t& shared = pin == Pin::Top ? m_top : m_bottom;
            if (shared == UINT32_MAX)
                shared = m_count++;
            m_variable[i] = shared;
        }
    }
    void add_edges() {
        m_has_input.assign(m_count, 0);
        m_has_output.assign(m_count, 0);
        for (std::size_t i = 0; i < m_graph.edges.size(); ++i) {
            const std::uint32_t from = m_variable[m_graph.edges[i].from];
            const std::uint32_t to = m_variable[m_graph.edges[i].to];
            if (m_is_broken[i])
                continue;
            m_edges.push_back({from, to, 1, kEdgeWeight});
            m_has_output[from] = m_has_input[to] = 1;
        }
    }
    void add_pins() {
        for (std::uint32_t i = 0; i < m_count; ++i) {
            if (m_top != UINT32_MAX && i != m_top && !m_has_input[i])
                m_edges.push_back({m_top, i, 1, 0});
            if (m_bottom != UINT32_MAX && i != m_bottom && !m_has_output[i])
                m_edges.push_back({i, m_bottom, 1, 0});
        }
    }
    void longest_paths() {
        std::vector<std::uint32_t> missing(m_count, 0), first(m_count + 1, 0), list(m_edges.size()), ready;
        for (const SimplexEdge& edge : m_edges) {
            ++missing[edge.head];
            ++first[edge.tail + 1];
        }
        std::partial_sum(first.begin(), first.end(), first.begin());
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (std::uint32_t i = 0; i < m_edges.size(); ++i)
            list[next[m_edges[i].tail]++] = i;
        m_y.assign(m_count, 0);
        for (std::uint32_t i = 0; i < m_count; ++i)
            if (missing[i] == 0)
                ready.push_back(i);
        for (std::size_t i = 0; i < ready.size(); ++i)
            for (std::uint32_t k = first[ready[i]]; k < first[ready[i] + 1]; ++k) {
                const SimplexEdge& edge = m_edges[list[k]];
                m_y[edge.head] = std::max(m_y[edge.head], m_y[edge.tail] + edge.length);
                if (--missing[edge.head] == 0)
                    ready.push_back(edge.head);
            }
    }
    // |layer - previous layer| as two edges from a variable below both.
    void add_previous() {
        const std::uint32_t zero = static_cast<std::uint32_t>(m_y.size());
        m_y.push_back(0);
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            const std::optional<Previous>& previous = m_graph.nodes[i].previous;
            if (!previous || m_graph.nodes[i].pin != Pin::None)
                continue;
            const std::int64_t layer = previous->layer;
            const std::uint32_t least = static_cast<std::uint32_t>(m_y.size());
            m_y.push_back(std::min(m_y[m_variable[i]], layer));
            m_edges.push_back({least, m_variable[i], 0, kKeepWeight});
            m_edges.push_back({least, zero, -layer, kKeepWeight});
        }
    }

    const FlatGraph& m_graph;
    const std::vector<char>& m_is_broken;
    const FlatOptions& m_options;
    std::uint32_t m_count = 0;
    std::uint32_t m_top = UINT32_MAX, m_bottom = UINT32_MAX;
    std::vector<std::uint32_t> m_variable; // of every node
    std::vector<char> m_has_input, m_has_output;
    std::vector<SimplexEdge> m_edges;
    std::vector<std::int64_t> m_y;
};

} // namespace

std::vector<char> edges_of_cycles(const FlatGraph& graph) {
    enum : char { New, Open, Done };
    const Adjacency out = edges_out(graph);
    std::vector<char> is_broken(graph.edges.size(), 0), states(graph.nodes.size(), New);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack; // node, its next edge
    for (std::uint32_t start = 0; start < graph.nodes.size(); ++start) {
        if (states[start] != New)
            continue;
        states[start] = Open;
        stack.push_back({start, 0});
        while (!stack.empty()) {
            auto& [node, next] = stack.back();
            const std::span<const std::uint32_t> edges = out.of(node);
            if (next == edges.size()) {
                states[node] = Done;
                stack.pop_back();
                continue;
            }
            const std::uint32_t edge = edges[next++];
            const std::uint32_t to = graph.edges[edge].to;
            is_broken[edge] = states[to] == Open || graph.nodes[to].pin == Pin::Top ||
                              graph.nodes[graph.edges[edge].from].pin == Pin::Bottom;
            if (states[to] == New && !is_broken[edge]) {
                states[to] = Open;
                stack.push_back({to, 0});
            }
        }
    }
    return is_broken;
}

std::vector<std::uint32_t> assign_layers(const FlatGraph& graph, const std::vector<char>& is_broken,
                                         const FlatOptions& options) {
    return graph.nodes.empty() ? std::vector<std::uint32_t>() : LayerProblem(graph, is_broken, options).solve();
}

} // namespace hidet::drawing
