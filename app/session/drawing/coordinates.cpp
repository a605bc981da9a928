// SPDX-License-Identifier: Apache-2.0
// Vertices that should stand below each other become one block with one x: the bends of a trunk, and nodes in a row. Two
// blocks never cross, so they have an order in every layer, and it is the same in all (as in Brandes and Koepf, "Fast and
// simple horizontal coordinate assignment", 2002). What is left is a linear program: the blocks of a layer keep their
// distances, the sum of horizontal ways of all other segments is least. The network simplex solves it, starting half way
// between everything to the left and everything to the right.
#include "app/session/drawing/coordinates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/session/drawing/simplex.h"

namespace hidet::drawing {

namespace {

constexpr std::uint32_t kLongestBlock = 24; // bends; a longer trunk may step aside now and then

class Placer {
public:
    Placer(const Layers& layers, const FlatGraph& graph, const FlatOptions& options)
        : m_layers(layers), m_graph(graph), m_options(options) {}

    std::vector<Length> place() {
        make_blocks();
        add_distances();
        pack();
        add_segments();
        add_previous();
        minimise(m_edges, m_x, {m_options.work, m_options.cancelled});
        std::vector<Length> x(m_layers.size());
        for (std::uint32_t v = 0; v < x.size(); ++v)
            x[v] = m_x[m_block[v]] + m_shift[v];
        Length least = INT64_MAX;
        for (std::uint32_t v = 0; v < x.size(); ++v)
            least = std::min(least, x[v] - m_layers.half[v]);
        for (Length& each : x)
            each -= least;
        return x;
    }

private:
    Length gap(std::uint32_t left, std::uint32_t right) const {
        const bool is_edge = m_layers.is_bend(left) || m_layers.is_bend(right);
        const double gap = is_edge ? m_options.edge_gap : m_options.node_gap;
        return m_layers.half[left] + m_layers.half[right] + std::llround(gap * kScale);
    }

    // ---- blocks ------------------------------------------------------------------------------------------------------

    enum class Kind : std::uint8_t { Bends, Row };
    bool is_straight(const Segment& segment, Kind kind) const {
        const bool upper = m_layers.is_bend(segment.upper), lower = m_layers.is_bend(segment.lower);
        if (kind == Kind::Bends)
            return upper && lower;
        return !upper && !lower && m_layers.below(segment.upper).size() == 1 &&
               m_layers.above(segment.lower).size() == 1;
    }

    void make_blocks() {
        const std::size_t count = m_layers.size();
        m_block.assign(count, kNone);
        m_shift.assign(count, 0);
        m_below.assign(count, kNone);
        std::vector<std::uint32_t> above(count, kNone);
        for (std::uint32_t layer = 0; layer + 1 < m_layers.order.size(); ++layer)
            for (Kind kind : {Kind::Bends, Kind::Row})
                choose(layer, kind, above);
        std::vector<std::uint32_t> lengths;
        for (const std::vector<std::uint32_t>& layer : m_layers.order)
            for (std::uint32_t vertex : layer) {
                const std::uint32_t on = above[vertex] == kNone ? kNone : m_layers.segments[above[vertex]].upper;
                if (on == kNone || (m_layers.is_bend(vertex) && lengths[m_block[on]] >= kLongestBlock)) {
                    m_block[vertex] = static_cast<std::uint32_t>(lengths.size());
                    lengths.push_back(1);
                    continue;
                }
                const Segment& segment = m_layers.segments[above[vertex]];
                m_block[vertex] = m_block[on];
                m_shift[vertex] = m_shift[on] + segment.upper_at - segment.lower_at;
                ++lengths[m_block[vertex]];
            }
        m_blocks = static_cast<std::uint32_t>(lengths.size());
    }
    // From left to right, whatever does not cross what was chosen before.
    void choose(std::uint32_t layer, Kind kind, std::vector<std::uint32_t>& above) {
        const std::vector<std::uint32_t>& uppers = m_layers.order[layer];
        // The nearest chosen lower positions to the right of each upper position.
        std::vector<std::uint32_t> limit(uppers.size() + 1, kNone);
        for (std::size_t i = uppers.size(); i-- > 0;)
            limit[i] = m_below[uppers[i]] == kNone ? limit[i + 1] : m_layers.position[m_below[uppers[i]]];
        std::int64_t last = -1;
        for (std::size_t i = 0; i < uppers.size(); ++i) {
            const std::uint32_t upper = uppers[i];
            if (m_below[upper] != kNone) {
                last = m_layers.position[m_below[upper]];
                continue;
            }
            for (std::uint32_t segment : m_layers.below(upper)) {
                const Segment& s = m_layers.segments[segment];
                const std::uint32_t at = m_layers.position[s.lower];
                if (!is_straight(s, kind) || above[s.lower] != kNone || at <= last || at >= limit[i])
                    continue;
                above[s.lower] = segment;
                m_below[upper] = s.lower;
                last = at;
                break;
            }
        }
    }

    // ---- the linear program ------------------------------------------------------------------------------------------

    void add_distances() {
        for (const std::vector<std::uint32_t>& layer : m_layers.order)
            for (std::size_t i = 1; i < layer.size(); ++i) {
                const std::uint32_t left = layer[i - 1], right = layer[i];
                m_edges.push_back(
                    {m_block[left], m_block[right], gap(left, right) + m_shift[left] - m_shift[right], 0});
            }
        merge_parallel();
    }
    // Two blocks are neighbours in many layers; the greatest distance counts.
    void merge_parallel() {
        std::sort(m_edges.begin(), m_edges.end(), [](const SimplexEdge& a, const SimplexEdge& b) {
            if (a.tail != b.tail)
                return a.tail < b.tail;
            return a.head != b.head ? a.head < b.head : a.length > b.length;
        });
        const auto end = std::unique(m_edges.begin(), m_edges.end(), [](const SimplexEdge& a, const SimplexEdge& b) {
            return a.tail == b.tail && a.head == b.head;
        });
        m_edges.erase(end, m_edges.end());
    }

    // Half way between the leftmost and the rightmost feasible places: feasible too, and near the middle.
    void pack() {
        std::vector<std::uint32_t> first(m_blocks + 1, 0), missing(m_blocks, 0), order;
        for (const SimplexEdge& edge : m_edges) {
            ++first[edge.tail + 1];
            ++missing[edge.head];
        }
        std::partial_sum(first.begin(), first.end(), first.begin());
        for (std::uint32_t i = 0; i < m_blocks; ++i)
            if (missing[i] == 0)
                order.push_back(i);
        std::vector<Length> left(m_blocks, 0);
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::uint32_t k = first[order[i]]; k < first[order[i] + 1]; ++k) {
                const SimplexEdge& edge = m_edges[k]; // sorted by tail
                left[edge.head] = std::max(left[edge.head], left[edge.tail] + edge.length);
                if (--missing[edge.head] == 0)
                    order.push_back(edge.head);
            }
        const Length width = *std::max_element(left.begin(), left.end());
        std::vector<Length> right(m_blocks, width);
        for (std::size_t i = order.size(); i-- > 0;)
            for (std::uint32_t k = first[order[i]]; k < first[order[i] + 1]; ++k)
                right[order[i]] = std::min(right[order[i]], right[m_edges[k].head] - m_edges[k].length);
        m_x.resize(m_blocks);
        for (std::uint32_t i = 0; i < m_blocks; ++i)
            m_x[i] = left[i] + (right[i] - left[i]) / 2; // rounded down on both sides: distances stay
    }

    bool is_stub(std::uint32_t vertex) const { return !m_layers.is_bend(vertex) && m_graph.nodes[vertex].is_stub; }
    // A stub is brought to its node, not the other way round.
    std::int64_t weight(const Segment& segment) const {
        const int bends = m_layers.is_bend(segment.upper) + m_layers.is_bend(segment.lower);
        if (is_stub(segment.upper) || is_stub(segment.lower))
            return 1;
        return bends == 2 ? 16 : bends == 1 ? 4 : 2;
    }
    void add_segments() {
        for (const Segment& segment : m_layers.segments) {
            if (m_block[segment.upper] == m_block[segment.lower])
                continue;
            const std::uint32_t upper = m_block[segment.upper], lower = m_block[segment.lower];
            const Length upper_at = m_shift[segment.upper] + segment.upper_at;
            const Length lower_at = m_shift[segment.lower] + segment.lower_at;
            const std::uint32_t least = static_cast<std::uint32_t>(m_x.size());
            m_x.push_back(std::min(m_x[upper] + upper_at, m_x[lower] + lower_at));
            m_edges.push_back({least, upper, -upper_at, weight(segment)});
            m_edges.push_back({least, lower, -lower_at, weight(segment)});
        }
    }

    // Staying where it was is worth as much as a straight edge; all may move together.
    void add_previous() {
        std::uint32_t zero = kNone;
        for (std::uint32_t v = 0; v < m_layers.nodes; ++v) {
            if (!m_graph.nodes[v].previous)
                continue;
            if (zero == kNone) {
                zero = static_cast<std::uint32_t>(m_x.size());
                m_x.push_back(0);
            }
            const Length place = std::llround(m_graph.nodes[v].previous->x * kScale);
            const std::uint32_t least = static_cast<std::uint32_t>(m_x.size());
            m_x.push_back(std::min(m_x[m_block[v]] + m_shift[v], place));
            m_edges.push_back({least, m_block[v], -m_shift[v], 2});
            m_edges.push_back({least, zero, -place, 2});
        }
    }

    const Layers& m_layers;
    const FlatGraph& m_graph;
    const FlatOptions& m_options;
    std::uint32_t m_blocks = 0;
    std::vector<std::uint32_t> m_block; // of every vertex
    std::vector<Length> m_shift;        // of every vertex from its block's x
    std::vector<std::uint32_t> m_below; // the vertex below in the same block
    std::vector<SimplexEdge> m_edges;
    std::vector<Length> m_x; // of blocks, then of segments
};

} // namespace

std::vector<Length> assign_x(const Layers& layers, const FlatGraph& graph, const FlatOptions& options) {
    return layers.size() == 0 ? std::vector<Length>() : Placer(layers, graph, options).place();
}

} // namespace hidet::drawing
