// SPDX-License-Identifier: Apache-2.0
// The barriers that have numbers, and that of the cluster (block_barriers.cpp), and what is said of who waits (deadlock.cpp).
#pragma once

#include <string>
#include <vector>

#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

struct Arrival {
    Actor who = 0;
    Epoch epoch = 0;
    std::uint32_t pc = 0;
};
struct Barrier {
    std::vector<Arrival> arrivals, last; // at this turn where it has a count, and at the one before
    int arrived = 0;
    int expected = -1;               // -1: all threads of the block
    int count = 0, all = 1, any = 0; // of BarrierReduce
    std::uint32_t pc = 0;            // of the first that arrived
    Clock clock;                     // of those that did
};

class BlockBarriers : BlockView {
public:
    explicit BlockBarriers(const BlockView& view) : BlockView(view) {}
    void begin() {
        for (Barrier& barrier : m_barriers)
            barrier = {};
    }
    bool is_for_all(int id) const { return m_barriers[id].expected < 0; } // threads of the block
    void arrive(Group& group, const Step& step);
    void check_barrier(int id);
    void check_complete_warps(Group& group, const char* what);
    void sync_cluster(Group& group);
    void check_cluster();
    void add_waiting(std::string& text, std::vector<RelatedPlace>& places) const;

private:
    void order_barrier(int id, Barrier& done);
    void check_meeting(Group& group, int id, const Barrier& barrier);
    void check_turn(Group& group, int id, std::int64_t expected);
    void check_whole_warps(Group& group, const char* what);

    Barrier m_barriers[16];
};

} // namespace hidet::vm
