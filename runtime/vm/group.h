// SPDX-License-Identifier: Apache-2.0
// Threads of a block that run together, and where they are.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/vm/checks/happens_before.h"
#include "runtime/vm/lane_offsets.h"
#include "runtime/vm/mask.h"

namespace hidet::vm {

struct Frame {
    Mask saved;    // threads that run again when it is closed
    Mask other;    // If: those of the other side; Loop: those that wait for the next turn
    int split = 0; // groups that shared this frame, by number; 0: never split
    void add(const Mask& lanes, const Mask& waiting, int chunks) {
        saved.add(lanes, chunks), other.add(waiting, chunks);
    }
    void remove(const Mask& lanes, int chunks) { saved.remove(lanes, chunks), other.remove(lanes, chunks); }
    void keep(const Mask& lanes, int chunks) { saved.keep(lanes, chunks), other.keep(lanes, chunks); }
};

// A number that no computation has twice has this bit, and so has what is computed from it.
inline constexpr std::uint64_t fresh_bit = std::uint64_t(1) << 63;
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

enum class GroupState : std::uint8_t { Ready, AtBarrier, AtMbarrier, AtCluster, AtMerge, AtWarpGroup, Finished };

struct Group {
    int number = 0;
    GroupState state = GroupState::Ready;
    std::uint32_t pc = 0;
    Mask alive;         // its threads that did not end
    Mask active;        // that run now
    int lo = 0, hi = 0; // chunks that hold them
    int running = 0;    // how many
    bool full = false;  // all that are alive run
    bool words_valid = false;
    std::uint64_t mask_version = 0;
    std::vector<std::uint64_t> u;
    std::vector<std::uint64_t> versions; // the numbers of what each register holds for its threads
    std::vector<Frame> frames;
    std::vector<Site> sites;
    int barrier = -1; // it waits at
    std::uint32_t barrier_pc = 0;
    std::uint64_t awaited = 0; // AtMbarrier: the address of the barrier, and the parity of the phase
    std::uint32_t parity = 0;
    int spins = 0;
    bool yielded = false;
    bool is_at_line = false;                                       // of which tiles are kept
    std::map<int, std::uint32_t> undefined_u;                      // that hold nothing, and what says so + 1
    std::uint64_t floor_version = 0, floor_mask = 0, who_mask = 0; // of what the last two were computed for
    Epoch floor = 0;
    Actor who = 0;
    std::uint32_t stands_at() const {
        return state == GroupState::AtBarrier ? barrier_pc : state == GroupState::AtCluster ? pc - 1 : pc;
    }
};

struct ThreadsEnd { // of threads that have ended
    std::uint32_t pc = 0;
    Mask lanes;
};

} // namespace hidet::vm
