// SPDX-License-Identifier: Apache-2.0
// Moves one way through the layers at a time (the bends of a trunk, a branch between a fork and a join, a single node) to
// where it crosses least while everything else stays.
#pragma once

#include "app/session/drawing/layers.h"

namespace hidet::drawing {

class Rerouter {
public:
    explicit Rerouter(Layers& layers);

    // Every way once. True: something crosses less than before. `crossings` below each layer: ways without any are left
    // alone; it is out of date afterwards. So are ways with a vertex that `is_fixed`. Stops when `work` (steps) is used up.
    bool run(const std::vector<std::uint64_t>& crossings, std::uint64_t& work, const std::vector<char>& is_fixed);

    // Takes some ways of several layers to the left or the right side; which ones `number` says.
    void scatter(std::uint32_t number);

private:
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

    void find_ways();
    bool move(const Way& way, std::uint64_t& work);
    bool read_gap(std::uint32_t layer, std::uint32_t upper, std::uint32_t lower);
    void number_slots(std::uint32_t layer, std::uint32_t skipped, bool is_upper, Side& side);
    void sum_up();
    Cost sum(std::uint32_t upper, std::uint32_t lower) const { return m_sums[upper * (m_lower.slots + 1ull) + lower]; }
    Cost crossed_by_branch_down(std::uint32_t place) const;
    Cost crossed_by_branch_up(std::uint32_t place) const;
    Cost crossed_by_link(std::uint32_t upper, std::uint32_t lower) const;
    void put(std::uint32_t vertex, std::uint32_t place);

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
