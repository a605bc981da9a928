// SPDX-License-Identifier: Apache-2.0
// Moves one way through the layers at a time (the bends of a trunk, a branch between a fork and a join, a single node) to
// where it crosses least while everything else stays.
// The cost of a way is a sum over the gaps between layers, and what a gap costs depends on the two places beside it alone:
// the best places are found from the top down by dynamic programming. Sweeps and exchanges of neighbours cannot take a long
// edge to the other side of the drawing, because every single step on the way there is worse; this does.
//
// Of a gap, sums over all pairs of slots say at once what any line would cross.
#pragma once

#include <algorithm>

#include "app/session/drawing/layers.h"

namespace hidet::drawing {

class Rerouter {
public:
    explicit Rerouter(Layers& layers) : m_layers(layers), m_slots(2 * layers.segments.size()) { find_ways(); }

    // Every way once. True: something crosses less than before. `crossings` below each layer: ways without any are left
    // alone; it is out of date afterwards. So are ways with a vertex that `is_fixed`. Stops when `work` (steps) is used up.
    bool run(const std::vector<std::uint64_t>& crossings, std::uint64_t& work, const std::vector<char>& is_fixed) {
        std::vector<std::uint64_t> before(1, 0); // crossings above each layer
        for (std::uint64_t count : crossings)
            before.push_back(before.back() + count);
        bool is_better = false;
        for (const Way& way : m_ways) {
            const std::uint32_t first = m_layers.layer[way.front()], last = m_layers.layer[way.back()];
            if (before[last + 1] == before[first > 0 ? first - 1 : 0])
                continue;
            if (std::any_of(way.begin(), way.end(), [&](std::uint32_t vertex) { return is_fixed[vertex]; }))
                continue;
            if (work == 0)
                return is_better;
            is_better = move(way, work) || is_better;
        }
        return is_better;
    }

    // Takes some ways of several layers to the left or the right side; which ones `number` says.
    void scatter(std::uint32_t number) {
        std::uint32_t random = number * 2654435761u + 12345;
        for (const Way& way : m_ways) {
            random = random * 1664525u + 1013904223u;
            if (way.size() < 2 || random >> 29 != 0)
                continue;
            const bool is_left = (random >> 28) % 2 == 0;
            for (std::uint32_t vertex : way)
                put(vertex,
                    is_left ? 0 : static_cast<std::uint32_t>(m_layers.order[m_layers.layer[vertex]].size()) - 1);
        }
    }

private:
    static constexpr std::uint32_t kNoBend = UINT32_MAX;
    static constexpr std::uint64_t kWidest = 1 << 17; // pairs of slots of a gap

    using Way = std::vector<std::uint32_t>; // vertices in layers one below the other
    using Cost = std::uint64_t;
    struct Fixed { // ends at slots, which are distinct ports in the order of their vertices
        std::uint32_t upper, lower;
        Cost edges;
    };
    struct Branch { // from a port of the way's vertex to a slot, or from a slot to a port
        Length port;
        std::uint32_t slot;
        Cost edges;
    };
    struct Link { // along the way
        Length upper, lower;
        Cost edges;
    };
    struct Side {                         // a layer of the gap, without the way's vertex
        std::vector<std::uint32_t> first; // slot of every remaining vertex, and their number
        std::uint32_t slots = 0;
        std::size_t places() const { return first.size(); }
    };

    void find_ways() {
        const auto is_plain = [this](std::uint32_t v) {
            return m_layers.above(v).size() <= 1 && m_layers.below(v).size() <= 1;
        };
        for (const Trunk& trunk : m_layers.trunks) {
            Way way;
            for (std::uint32_t i = 0; i < trunk.bends; ++i)
                way.push_back(trunk.first_bend + i);
            if (!way.empty())
                m_ways.push_back(std::move(way));
        }
        for (std::uint32_t v = 0; v < m_layers.nodes; ++v) {
            if (!is_plain(v)) {
                m_ways.push_back({v});
                continue;
            }
            const auto above = m_layers.above(v);
            if (!above.empty() && is_plain(m_layers.segments[above.front()].upper))
                continue; // within the way of another one
            Way way{v};
            while (!m_layers.below(way.back()).empty()) {
                const std::uint32_t next = m_layers.segments[m_layers.below(way.back()).front()].lower;
                if (!is_plain(next))
                    break;
                way.push_back(next);
            }
            m_ways.push_back(std::move(way));
        }
    }

    bool move(const Way& way, std::uint64_t& work) {
        const std::uint32_t first = m_layers.layer[way.front()];
        const std::size_t count = way.size();
        constexpr Cost kFar = UINT64_MAX / 4;
        std::vector<std::vector<std::uint32_t>> from(count); // the place above that is best for a place
        std::vector<Cost> costs(m_layers.order[first].size(), 0), next;
        Cost present = 0;
        std::uint64_t spent = 0;
        const auto place_of = [this](std::uint32_t vertex) { return m_layers.position[vertex]; };

        if (first > 0) {
            if (!read_gap(first - 1, kNoBend, way.front()))
                return false;
            for (std::uint32_t q = 0; q < costs.size(); ++q)
                costs[q] = crossed_by_branch_up(q);
            spent += m_sums.size() + costs.size() * m_up.size();
        }
        present = costs[place_of(way.front())];
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const std::uint32_t layer = first + static_cast<std::uint32_t>(i);
            if (!read_gap(layer, way[i], way[i + 1]))
                return false;
            const std::size_t uppers = m_upper.places(), lowers = m_lower.places();
            Cost links = 0;
            for (const Link& link : m_links)
                links += link.edges;
            // What depends on one place alone.
            std::vector<Cost> above(uppers, 0), below(lowers, 0), left_up(uppers, 0), left_down(lowers, 0);
            Cost all_up = 0, all_down = 0;
            for (const Branch& branch : m_up)
                all_up += branch.edges;
            for (const Branch& branch : m_down)
                all_down += branch.edges;
            for (std::uint32_t p = 0; p < uppers; ++p) {
                above[p] = crossed_by_branch_down(p);
                for (const Branch& branch : m_up) {
                    const bool is_left = branch.slot < m_upper.first[p];
                    left_up[p] += is_left ? branch.edges : 0;
                    for (const Link& link : m_links)
                        if (is_left ? branch.port > link.lower : branch.port < link.lower)
                            above[p] += branch.edges * link.edges;
                }
            }
            for (std::uint32_t q = 0; q < lowers; ++q) {
                below[q] = crossed_by_branch_up(q);
                for (const Branch& branch : m_down) {
                    const bool is_left = branch.slot < m_lower.first[q];
                    left_down[q] += is_left ? branch.edges : 0;
                    for (const Link& link : m_links)
                        if (is_left ? branch.port > link.upper : branch.port < link.upper)
                            below[q] += branch.edges * link.edges;
                }
            }
            const auto cost_of = [&](std::uint32_t p, std::uint32_t q) {
                // A branch from u to q and one from p to t: they cross when u is left of p and t left of q, or both right.
                return links * crossed_by_link(m_upper.first[p], m_lower.first[q]) + left_up[p] * left_down[q] +
                       (all_up - left_up[p]) * (all_down - left_down[q]) + above[p] + below[q];
            };
            present += cost_of(place_of(way[i]), place_of(way[i + 1]));
            next.assign(lowers, kFar);
            from[i + 1].assign(lowers, 0);
            for (std::uint32_t q = 0; q < lowers; ++q)
                for (std::uint32_t p = 0; p < uppers; ++p)
                    if (const Cost cost = costs[p] + cost_of(p, q); cost < next[q]) {
                        next[q] = cost;
                        from[i + 1][q] = p;
                    }
            costs.swap(next);
            spent += m_sums.size() + uppers * lowers + uppers * (m_down.size() + m_up.size()) + m_fixed.size();
        }
        const std::uint32_t last = first + static_cast<std::uint32_t>(count) - 1;
        if (last + 1 < m_layers.order.size()) {
            if (!read_gap(last, way.back(), kNoBend))
                return false;
            for (std::uint32_t p = 0; p < costs.size(); ++p) {
                const Cost cost = crossed_by_branch_down(p);
                costs[p] += cost;
                present += p == place_of(way.back()) ? cost : 0;
            }
            spent += m_sums.size() + costs.size() * m_down.size();
        }
        work -= std::min(work, spent);
        const auto best = std::min_element(costs.begin(), costs.end());
        if (*best >= present)
            return false;
        std::uint32_t place = static_cast<std::uint32_t>(best - costs.begin());
        for (std::size_t i = count; i-- > 0;) {
            put(way[i], place);
            if (i > 0)
                place = from[i][place];
        }
        return true;
    }

    bool read_gap(std::uint32_t layer, std::uint32_t upper, std::uint32_t lower) {
        number_slots(layer, upper, true, m_upper);
        number_slots(layer + 1, lower, false, m_lower);
        m_fixed.clear();
        m_down.clear();
        m_up.clear();
        m_links.clear();
        for (std::uint32_t vertex : m_layers.order[layer])
            for (std::uint32_t segment : m_layers.below(vertex)) {
                const Segment& s = m_layers.segments[segment];
                const std::uint32_t from = m_slots[2 * segment], to = m_slots[2 * segment + 1];
                if (vertex == upper && s.lower == lower)
                    m_links.push_back({s.upper_at, s.lower_at, s.edges});
                else if (vertex == upper)
                    m_down.push_back({s.upper_at, to, s.edges});
                else if (s.lower == lower)
                    m_up.push_back({s.lower_at, from, s.edges});
                else
                    m_fixed.push_back({from, to, s.edges});
            }
        if ((m_upper.slots + 1ull) * (m_lower.slots + 1ull) > kWidest)
            return false;
        sum_up();
        return true;
    }

    void number_slots(std::uint32_t layer, std::uint32_t skipped, bool is_upper, Side& side) {
        side.first.clear();
        side.slots = 0;
        for (std::uint32_t vertex : m_layers.order[layer]) {
            if (vertex == skipped)
                continue;
            side.first.push_back(side.slots);
            Length last = 0;
            bool is_first = true;
            for (std::uint32_t segment : is_upper ? m_layers.below(vertex) : m_layers.above(vertex)) {
                const Segment& s = m_layers.segments[segment];
                const Length at = is_upper ? s.upper_at : s.lower_at;
                side.slots += is_first || at != last;
                m_slots[2 * segment + (is_upper ? 0 : 1)] = side.slots - 1;
                last = at;
                is_first = false;
            }
        }
        side.first.push_back(side.slots);
    }

    void sum_up() {
        const std::size_t width = m_lower.slots + 1;
        m_sums.assign((m_upper.slots + 1) * width, 0);
        for (const Fixed& fixed : m_fixed)
            m_sums[(fixed.upper + 1) * width + fixed.lower + 1] += fixed.edges;
        for (std::size_t i = 1; i <= m_upper.slots; ++i)
            for (std::size_t k = 1; k < width; ++k)
                m_sums[i * width + k] +=
                    m_sums[(i - 1) * width + k] + m_sums[i * width + k - 1] - m_sums[(i - 1) * width + k - 1];
    }

    Cost sum(std::uint32_t upper, std::uint32_t lower) const { return m_sums[upper * (m_lower.slots + 1ull) + lower]; }
    Cost crossed_by_branch_down(std::uint32_t place) const {
        const std::uint32_t from = m_upper.first[place];
        Cost cost = 0;
        for (const Branch& branch : m_down) {
            cost += branch.edges * (sum(from, m_lower.slots) - sum(from, branch.slot + 1));
            cost += branch.edges * (sum(m_upper.slots, branch.slot) - sum(from, branch.slot));
        }
        return cost;
    }

    Cost crossed_by_branch_up(std::uint32_t place) const {
        const std::uint32_t to = m_lower.first[place];
        Cost cost = 0;
        for (const Branch& branch : m_up) {
            cost += branch.edges * (sum(branch.slot, m_lower.slots) - sum(branch.slot, to));
            cost += branch.edges * (sum(m_upper.slots, to) - sum(branch.slot + 1, to));
        }
        return cost;
    }

    // A line from before slot `upper` to before slot `lower`.
    Cost crossed_by_link(std::uint32_t upper, std::uint32_t lower) const {
        return sum(upper, m_lower.slots) + sum(m_upper.slots, lower) - 2 * sum(upper, lower);
    }

    void put(std::uint32_t vertex, std::uint32_t place) {
        const std::uint32_t layer = m_layers.layer[vertex];
        std::vector<std::uint32_t>& order = m_layers.order[layer];
        order.erase(order.begin() + m_layers.position[vertex]);
        order.insert(order.begin() + place, vertex);
        m_layers.number_positions(layer);
    }

    Layers& m_layers;
    std::vector<Way> m_ways;
    std::vector<std::uint32_t> m_slots; // of both ends of every segment in the gap that is read
    Side m_upper, m_lower;
    std::vector<Fixed> m_fixed;
    std::vector<Branch> m_down, m_up;
    std::vector<Link> m_links;
    std::vector<Cost> m_sums; // edges whose ends are left of a pair of slots
};

} // namespace hidet::drawing
