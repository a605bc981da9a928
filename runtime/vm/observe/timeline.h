// SPDX-License-Identifier: Apache-2.0
// When the warps of a block do what: a picture of a pipeline, without a GPU.
//
// The emulator runs one group of warps after the other, so its own order says nothing about what runs at the same time. Each
// warp has a clock instead, which its instructions move on, a step each, and a product of matrices a step for each 1024
// operations of a warp. Who waits goes on when all that he waits for is there: a barrier when the last has arrived, a copy so
// many steps after it began. So a picture shows what waits for what, if warps were never in each other's way: what binds a
// pipeline, not how long it takes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/artifact/launch_shape.h"
#include "compiler/artifact/marks.h"
#include "compiler/artifact/program.h"

namespace hidet::vm {

struct Mbarrier;

using artifact::AwaitedKind;
using artifact::TimedKind;

// Of a warp. One that goes on at once where the one before ended is the same event.
struct TimedEvent {
    TimedKind kind{};
    int warp = 0;
    std::uint32_t pc = 0;
    std::uint64_t begin = 0, end = 0; // of a copy when it is issued, of a product of a warp group while it is computed

    // Of a copy.
    std::uint64_t landed = 0;
    std::int64_t bytes = 0;
    std::int64_t place = -1; // the first byte in shared memory, of all that are waited for together

    // Of a wait, and the barrier of a copy.
    AwaitedKind awaited{};
    std::string barrier = {};      // "full[1]", "barrier 1"
    std::uint64_t phase = 0;       // of a barrier in memory, from 1 on
    bool by_copy = false;          // what came last was a copy
    int by_warp = -1, by_rank = 0; // whose
    std::uint32_t by_pc = 0;
};

struct BlockTimeline {
    std::string kernel;
    const artifact::Function* function = nullptr; // whose instructions `pc` counts
    std::int64_t block = 0;
    artifact::LaunchShape shape;
    int warps = 0, threads = 0;
    std::uint64_t copy_steps = 0;
    std::uint64_t steps = 0;        // until the last warp ends
    bool is_cut_short = false;      // there were more events
    std::vector<TimedEvent> events; // by warp, in the order in which they began
};

// Who comes last to where others wait.
struct Latest {
    std::uint64_t at = 0;
    bool by_copy = false;
    int warp = -1, rank = 0;
    std::uint32_t pc = 0;
    void take(const Latest& other) {
        if (other.at >= at)
            *this = other;
    }
};

class Timeline {
public:
    Timeline(const artifact::Function& function, std::int64_t block, int threads, int rank, std::uint64_t copy_steps);

    std::uint64_t now(int warp) const { return m_clocks[static_cast<std::size_t>(warp)]; }
    void advance(std::uint32_t warps, std::uint64_t steps);
    void compute(std::uint32_t warps, std::uint32_t pc, std::uint64_t steps); // the last of its steps
    void store(std::uint32_t warps, std::uint32_t pc);

    // Copies of cp.async, in groups of a warp.
    void copy(int warp, std::uint32_t pc, std::int64_t place, std::int64_t bytes);
    void commit(std::uint32_t warps);
    void await_copies(std::uint32_t warps, std::uint32_t pc, int pending); // -1: all
    Latest copies_of(int warp) const;

    // Copies of the copy unit. They arrive at barriers, which is told apart.
    void copy_box(int warp, std::uint32_t pc, std::int64_t bytes, const std::string& barrier);
    void store_box(int warp, std::uint32_t pc);
    void commit_boxes(std::uint32_t warps);
    void await_boxes(std::uint32_t warps, std::uint32_t pc, int pending);

    // Products of warp groups, by their first warp.
    void multiply(int first_warp, std::uint32_t pc, std::uint64_t steps);
    void commit_products(int first_warp);
    void await_products(int first_warp, std::uint32_t pc, int pending);

    // Barriers with numbers, and that of the cluster, which goes by its own number.
    static constexpr int of_cluster = 16;
    void arrive(int barrier, std::uint32_t warps, std::uint32_t pc, bool waits);
    const Latest& latest(int barrier) { return m_turns[barrier].latest; }
    void meet(int barrier, const Latest& last);

    // Barriers in memory.
    Latest arrival(int warp, std::uint32_t pc, bool by_copy) const;
    void arrive(const Mbarrier& barrier, const Latest& who) { m_phases[&barrier].coming.take(who); }
    void end_phase(const Mbarrier& barrier);
    void pass(const Mbarrier& barrier, std::uint32_t warps, std::uint32_t pc, const std::string& name);

    BlockTimeline take();

private:
    struct Group { // that is waited for at once
        Latest last;
        std::int64_t place = -1;
        std::vector<std::size_t> events;
    };
    struct Queue { // of groups, and the one that is open
        std::vector<Group> closed;
        Group open;
        std::uint64_t busy = 0; // until then
    };
    struct Turn {
        Latest latest;
        std::vector<TimedEvent> waiting;
    };
    struct Phase {
        Latest coming, over;
        std::uint64_t number = 0;
    };
    std::size_t add(TimedEvent event);
    std::size_t add_or_extend(TimedEvent event);
    void wait(int warp, std::uint32_t pc, AwaitedKind awaited, const Latest& last, const std::string& barrier = {},
              std::uint64_t phase = 0);
    void await_groups(Queue& queue, int warp, std::uint32_t pc, int pending, AwaitedKind awaited);
    void close(Queue& queue);

    BlockTimeline m_out;
    const int m_rank;
    std::vector<std::uint64_t> m_clocks;
    std::vector<std::array<std::size_t, 4>> m_last; // of each warp and kind: its last event + 1
    std::vector<Queue> m_copies, m_stores, m_products;
    std::map<int, Turn> m_turns;
    std::map<const Mbarrier*, Phase> m_phases;
};

// Of the blocks of one cluster, each from its beginning.
class TimelineLog {
public:
    TimelineLog(const artifact::Function& function, const artifact::LaunchShape& shape, std::int64_t block,
                std::uint64_t copy_steps);
    Timeline* begin(std::int64_t block); // null: it is not of the cluster
    BlockTimeline take();                // of the block

private:
    const artifact::Function& m_function;
    const artifact::LaunchShape m_shape;
    const std::int64_t m_block;
    const std::uint64_t m_copy_steps;
    std::map<int, std::unique_ptr<Timeline>> m_timelines; // by rank
};

} // namespace hidet::vm
