// SPDX-License-Identifier: Apache-2.0
// Sweeps down and up the layers sort each by the barycentres of what its vertices hang on (Sugiyama, Tagawa and Toda, 1981),
// and neighbours that cross less the other way round change places (Gansner et al., 1993). From several starts.
//
// The best order is not that of one sweep. Where two orders agree on a layer, what is above it and what is below it are
// independent, so the better of each stretch between such layers is kept: a long thin model is many small problems.
#include "app/session/drawing/ordering.h"

#include <algorithm>
#include <numeric>

#include "app/session/drawing/rerouting.h"

namespace hidet::drawing {

namespace {

constexpr std::size_t kFew = 24; // lines that are compared pair by pair

// How many edges cross between two layers. Segments that begin or end at the same port of the same vertex do not.
class CrossingCounter {
public:
    explicit CrossingCounter(const Layers& layers) : m_layers(layers), m_slots(layers.segments.size()) {}

    // between it and the next one
    std::uint64_t below(std::uint32_t layer) {
        if (layer + 1 >= m_layers.order.size())
            return 0;
        std::uint32_t slots = 0;
        for (std::uint32_t vertex : m_layers.order[layer + 1]) {
            Length last = 0;
            bool is_first = true;
            for (std::uint32_t segment : m_layers.above(vertex)) {
                const Length at = m_layers.segments[segment].lower_at;
                slots += is_first || at != last;
                m_slots[segment] = slots - 1;
                last = at;
                is_first = false;
            }
        }
        m_lines.clear();
        std::uint32_t uppers = 0;
        for (std::uint32_t vertex : m_layers.order[layer]) {
            Length last = 0;
            bool is_first = true;
            for (std::uint32_t segment : m_layers.below(vertex)) {
                const Segment& s = m_layers.segments[segment];
                uppers += is_first || s.upper_at != last;
                m_lines.push_back({uppers - 1, m_slots[segment], s.edges});
                last = s.upper_at;
                is_first = false;
            }
        }
        return m_lines.size() <= kFew ? few() : many(slots);
    }

    std::uint64_t all() {
        std::uint64_t count = 0;
        for (std::uint32_t layer = 0; layer + 1 < m_layers.order.size(); ++layer)
            count += below(layer);
        return count;
    }

    // Crossings of the segments of two vertices of a layer, when `left` stands left of `right`.
    std::uint64_t between(std::uint32_t left, std::uint32_t right) {
        const auto collect = [this](std::uint32_t vertex, bool is_below, std::vector<End>& into) {
            into.clear();
            for (std::uint32_t segment : is_below ? m_layers.below(vertex) : m_layers.above(vertex)) {
                const Segment& s = m_layers.segments[segment];
                if (is_below)
                    into.push_back({m_layers.position[s.lower], s.lower_at, s.edges});
                else
                    into.push_back({m_layers.position[s.upper], s.upper_at, s.edges});
            }
        };
        collect(left, true, m_left);
        collect(right, true, m_right);
        std::uint64_t count = inverted(m_left, m_right);
        collect(left, false, m_left);
        collect(right, false, m_right);
        return count + inverted(m_left, m_right);
    }

private:
    struct End {
        std::uint32_t position;
        Length at;
        std::uint64_t edges;
        bool operator<(const End& other) const {
            return position != other.position ? position < other.position : at < other.at;
        }
    };
    std::uint64_t few() {
        std::uint64_t count = 0;
        for (std::size_t b = 1; b < m_lines.size(); ++b)
            for (std::size_t a = 0; a < b; ++a)
                if (m_lines[a].slot > m_lines[b].slot && m_lines[a].upper != m_lines[b].upper)
                    count += m_lines[a].edges * m_lines[b].edges;
        return count;
    }

    // Lines from left to right by their upper ends; a tree of sums over slots says how many that came before end further right.
    std::uint64_t many(std::uint32_t slots) {
        m_sums.assign(slots + 1, 0);
        std::uint64_t count = 0, total = 0;
        for (std::size_t i = 0; i < m_lines.size();) {
            std::size_t last = i;
            for (; last < m_lines.size() && m_lines[last].upper == m_lines[i].upper; ++last) {
                std::uint64_t left = 0;
                for (std::uint32_t k = m_lines[last].slot + 1; k > 0; k &= k - 1)
                    left += m_sums[k];
                count += (total - left) * m_lines[last].edges;
            }
            for (; i < last; ++i) {
                total += m_lines[i].edges;
                for (std::uint32_t k = m_lines[i].slot + 1; k <= slots; k += k & (~k + 1))
                    m_sums[k] += m_lines[i].edges;
            }
        }
        return count;
    }

    static std::uint64_t inverted(std::vector<End>& left, std::vector<End>& right) {
        std::uint64_t count = 0;
        if (left.size() * right.size() <= 2 * kFew) {
            for (const End& a : left)
                for (const End& b : right)
                    count += b < a ? a.edges * b.edges : 0;
            return count;
        }
        std::sort(left.begin(), left.end());
        std::sort(right.begin(), right.end());
        std::uint64_t before = 0;
        std::size_t next = 0;
        for (const End& a : left) {
            for (; next < right.size() && right[next] < a; ++next)
                before += right[next].edges;
            count += before * a.edges;
        }
        return count;
    }

    const Layers& m_layers;
    std::vector<std::uint32_t> m_slots; // of every segment, among the ends at the lower layer
    struct Line {
        std::uint32_t upper; // number of its upper end
        std::uint32_t slot;
        std::uint64_t edges;
    };
    std::vector<Line> m_lines;
    std::vector<std::uint64_t> m_sums;
    std::vector<End> m_left, m_right;
};

constexpr std::uint32_t kShakes = 16;
constexpr std::uint64_t kShakeWork = 2'500'000; // steps: a few milliseconds

using Orders = std::vector<std::vector<std::uint32_t>>;

class Orderer {
public:
    Orderer(Layers& layers, const FlatGraph& graph, const FlatOptions& options)
        : m_layers(layers), m_graph(graph), m_options(options), m_counter(layers), m_rerouter(layers),
          m_work(options.work) {}

    std::uint64_t run() {
        m_best = m_layers.order;
        m_best_counts = counts();
        if (follows())
            return settle();
        if (is_zero(m_best_counts))
            return 0;
        const std::uint32_t rounds = std::max(2u, m_options.effort * 12 / 100);
        for (int start = 0; start < 3 && !is_zero(m_best_counts); ++start) {
            if (start > 0)
                walk(start == 1);
            search(rounds, start);
        }
        shake();
        take(m_best);
        return std::accumulate(m_best_counts.begin(), m_best_counts.end(), std::uint64_t{0});
    }

private:
    using Counts = std::vector<std::uint64_t>;

    bool is_cancelled() const { return m_options.cancelled && m_options.cancelled->load(std::memory_order_relaxed); }
    static bool is_zero(const Counts& counts) {
        return std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; });
    }
    Counts counts() {
        Counts result;
        for (std::uint32_t layer = 0; layer < m_layers.order.size(); ++layer)
            result.push_back(m_counter.below(layer));
        return result;
    }
    void take(const Orders& orders) {
        m_layers.order = orders;
        for (std::uint32_t layer = 0; layer < orders.size(); ++layer)
            m_layers.number_positions(layer);
    }

    // ---- after a previous layout ---------------------------------------------------------------------------------------

    bool follows() {
        m_is_fixed.assign(m_layers.size(), 0);
        bool is_any = false;
        for (std::uint32_t i = 0; i < m_layers.nodes; ++i)
            if (m_graph.nodes[i].previous && m_graph.nodes[i].pin == Pin::None)
                m_is_fixed[i] = is_any = true;
        return is_any;
    }
    // Nodes that were there keep their order; what is new goes where its neighbours are, and then where it crosses least.
    std::uint64_t settle() {
        const std::vector<double> keys = previous_places();
        for (std::uint32_t layer = 0; layer < m_layers.order.size(); ++layer) {
            std::vector<std::uint32_t>& order = m_layers.order[layer];
            std::stable_sort(order.begin(), order.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
            m_layers.number_positions(layer);
        }
        for (int round = 0; round < 8 && !is_cancelled(); ++round) {
            exchange();
            if (!m_rerouter.run(counts(), m_work, m_is_fixed))
                break;
        }
        return m_counter.all();
    }
    std::vector<double> previous_places() const {
        constexpr double kUnknown = -1e300;
        std::vector<double> places(m_layers.size(), kUnknown);
        for (std::uint32_t i = 0; i < m_layers.nodes; ++i)
            if (m_is_fixed[i])
                places[i] = m_graph.nodes[i].previous->x;
        // From known neighbours, and from those that became known that way.
        const auto guess = [&](std::uint32_t vertex, bool is_below) {
            double sum = 0, count = 0;
            for (std::uint32_t segment : is_below ? m_layers.below(vertex) : m_layers.above(vertex)) {
                const Segment& s = m_layers.segments[segment];
                const double place = places[is_below ? s.lower : s.upper];
                if (place == kUnknown)
                    continue;
                sum += place;
                ++count;
            }
            if (count > 0)
                places[vertex] = sum / count;
        };
        for (bool is_below : {false, true})
            for (std::size_t i = 0; i < m_layers.order.size(); ++i)
                for (std::uint32_t vertex : m_layers.order[is_below ? m_layers.order.size() - 1 - i : i])
                    if (places[vertex] == kUnknown)
                        guess(vertex, is_below);
        for (double& place : places)
            place = place == kUnknown ? 0 : place;
        return places;
    }

    // A start: vertices in the order in which a walk in depth meets them.
    void walk(bool is_down) {
        const std::size_t count = m_layers.size();
        std::vector<char> is_seen(count, 0);
        for (std::vector<std::uint32_t>& layer : m_layers.order)
            layer.clear();
        std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
        const auto visit = [&](std::uint32_t vertex) {
            is_seen[vertex] = 1;
            m_layers.order[m_layers.layer[vertex]].push_back(vertex);
            stack.push_back({vertex, 0});
        };
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t start = is_down ? i : static_cast<std::uint32_t>(m_layers.nodes - 1 - i);
            if (i >= m_layers.nodes || is_seen[start] ||
                !(is_down ? m_layers.above(start) : m_layers.below(start)).empty())
                continue;
            visit(start);
            while (!stack.empty()) {
                auto& [vertex, next] = stack.back();
                const auto segments = is_down ? m_layers.below(vertex) : m_layers.above(vertex);
                if (next == segments.size()) {
                    stack.pop_back();
                    continue;
                }
                const Segment& segment = m_layers.segments[segments[next++]];
                const std::uint32_t to = is_down ? segment.lower : segment.upper;
                if (!is_seen[to])
                    visit(to);
            }
        }
        for (std::uint32_t layer = 0; layer < m_layers.order.size(); ++layer)
            m_layers.number_positions(layer);
    }

    void search(std::uint32_t rounds, int start) {
        std::uint32_t idle = 0;
        for (std::uint32_t round = 0; round < rounds && idle < 4 && !is_cancelled(); ++round) {
            const bool is_down = (round + static_cast<std::uint32_t>(start == 2)) % 2 == 0;
            sweep(is_down, round % 4 >= 2);
            exchange();
            idle = keep_better() ? 0 : idle + 1;
            if (is_zero(m_best_counts))
                return;
        }
        for (int round = 0; round < 8 && !is_zero(m_best_counts) && !is_cancelled(); ++round) {
            take(m_best);
            const bool is_moved = m_rerouter.run(m_best_counts, m_work, m_is_fixed);
            exchange();
            keep_better();
            if (!is_moved)
                return;
        }
    }

    // Some ways go to one side or the other, whatever that crosses, and all are routed anew: other optima are found so.
    void shake() {
        std::uint64_t work = std::min<std::uint64_t>(m_work, kShakeWork * m_options.effort / 100);
        for (std::uint32_t round = 0; round < kShakes && work > 0 && !is_zero(m_best_counts) && !is_cancelled();
             ++round) {
            take(m_best);
            m_rerouter.scatter(round);
            for (int i = 0; i < 6 && m_rerouter.run(counts(), work, m_is_fixed); ++i)
                ;
            exchange();
            keep_better();
        }
    }

    double place(const Segment& segment, bool at_upper) const {
        const std::uint32_t vertex = at_upper ? segment.upper : segment.lower;
        const Length half = m_layers.half[vertex];
        const double within = half == 0 ? 0
                                        : 0.4 * static_cast<double>(at_upper ? segment.upper_at : segment.lower_at) /
                                              static_cast<double>(half);
        return m_layers.position[vertex] + within;
    }

    void sweep(bool is_down, bool ties_turn) {
        const std::uint32_t count = static_cast<std::uint32_t>(m_layers.order.size());
        for (std::uint32_t i = 1; i < count; ++i)
            sort_layer(is_down ? i : count - 1 - i, is_down, ties_turn);
    }
    // Vertices that hang on nothing stay where they are, the others share the remaining places.
    void sort_layer(std::uint32_t layer, bool is_down, bool ties_turn) {
        std::vector<std::uint32_t>& order = m_layers.order[layer];
        m_keyed.clear();
        m_places.clear();
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            const auto segments = is_down ? m_layers.above(order[i]) : m_layers.below(order[i]);
            if (segments.empty())
                continue;
            double sum = 0, weight = 0;
            for (std::uint32_t segment : segments) {
                const Segment& s = m_layers.segments[segment];
                sum += place(s, is_down) * s.edges;
                weight += s.edges;
            }
            m_keyed.push_back({sum / weight, order[i]});
            m_places.push_back(i);
        }
        if (ties_turn)
            std::reverse(m_keyed.begin(), m_keyed.end());
        std::stable_sort(m_keyed.begin(), m_keyed.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
        for (std::size_t i = 0; i < m_keyed.size(); ++i)
            order[m_places[i]] = m_keyed[i].vertex;
        m_layers.number_positions(layer);
    }

    // Neighbours change places as long as that helps.
    void exchange() {
        const std::uint32_t count = static_cast<std::uint32_t>(m_layers.order.size());
        std::vector<char> is_stale(count, 1);
        bool is_changed = true;
        for (int pass = 0; is_changed && pass < 40; ++pass) {
            is_changed = false;
            for (std::uint32_t layer = 0; layer < count; ++layer) {
                if (!is_stale[layer])
                    continue;
                is_stale[layer] = 0;
                if (!exchange_in(layer))
                    continue;
                is_changed = true;
                is_stale[layer] = 1;
                if (layer > 0)
                    is_stale[layer - 1] = 1;
                if (layer + 1 < count)
                    is_stale[layer + 1] = 1;
            }
        }
    }
    bool exchange_in(std::uint32_t layer) {
        std::vector<std::uint32_t>& order = m_layers.order[layer];
        bool is_changed = false;
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (!m_is_fixed.empty() && m_is_fixed[order[i - 1]] && m_is_fixed[order[i]])
                continue;
            const std::uint64_t now = m_counter.between(order[i - 1], order[i]);
            if (now == 0 || m_counter.between(order[i], order[i - 1]) >= now)
                continue;
            std::swap(order[i - 1], order[i]);
            m_layers.position[order[i - 1]] = static_cast<std::uint32_t>(i - 1);
            m_layers.position[order[i]] = static_cast<std::uint32_t>(i);
            is_changed = true;
        }
        return is_changed;
    }

    // Takes the better of the best and the present order, stretch by stretch. True: something is better than before.
    bool keep_better() {
        const Counts now = counts();
        const std::size_t count = now.size();
        bool is_better = false;
        std::size_t first = 0;
        std::uint64_t present = 0, best = 0;
        for (std::size_t layer = 0; layer < count; ++layer) {
            present += now[layer];
            best += m_best_counts[layer];
            const bool is_end = layer + 1 == count || m_layers.order[layer + 1] == m_best[layer + 1];
            if (!is_end)
                continue;
            if (present < best) {
                for (std::size_t i = first; i <= layer; ++i) {
                    m_best[i] = m_layers.order[i];
                    m_best_counts[i] = now[i];
                }
                is_better = true;
            }
            first = layer + 1;
            present = best = 0;
        }
        return is_better;
    }

    struct Keyed {
        double key;
        std::uint32_t vertex;
    };
    Layers& m_layers;
    const FlatGraph& m_graph;
    const FlatOptions& m_options;
    CrossingCounter m_counter;
    Rerouter m_rerouter;
    std::uint64_t m_work;
    std::vector<char> m_is_fixed; // by vertex: keeps its order among its like
    Orders m_best;
    Counts m_best_counts; // below each layer
    std::vector<Keyed> m_keyed;
    std::vector<std::uint32_t> m_places;
};

} // namespace

std::uint64_t reduce_crossings(Layers& layers, const FlatGraph& graph, const FlatOptions& options) {
    return Orderer(layers, graph, options).run();
}

} // namespace hidet::drawing
