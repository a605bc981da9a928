// SPDX-License-Identifier: Apache-2.0
// What threads of a block meet at: the barriers that have numbers, and those in shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/vm/checks/happens_before.h"

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

// Who uses a barrier in shared memory: a thread of the block that has it, one of another block, or a copy.
enum class BarrierUse : std::uint8_t { Own, Remote, Copy };
struct Mbarrier {
    std::int64_t expected = 0, pending = 0; // threads of a phase, and those of them that did not arrive
    std::int64_t bytes = 0;                 // that are to come
    std::uint64_t phase = 0;                // how many are over
    Clock arrived, over;                    // what those knew who arrived at this phase, and at the phases before
    Actor unit = 0;                         // its copies
    Actor maker = 0;                        // a thread
    Epoch made = 0;
    std::uint32_t pc = 0;
    bool is_published = false; // behind fence_barrier_init
    std::uint32_t copy_pc = 0; // of the last copy that arrived, and when; 0: none did
    Epoch copied = 0;
};

class Block;
// What another block did to a block's shared memory last.
struct RemoteUse {
    Block* by = nullptr;
    Epoch epoch = 0;
    std::uint32_t pc = 0;
    int lane = 0;
};

// Of each thread of a warp, since setmaxnreg; `is_more`: it asked for more.
struct WarpRegisters {
    int count = 0;
    std::uint32_t pc = 0;
    bool is_more = false;
};

} // namespace hidet::vm
