// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel one multiprocessor holds at a time, and what keeps it from holding more. Pure arithmetic by the
// rules of CUDA's occupancy calculator; clusters, which need their blocks near each other, are not considered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"

namespace hidet::perf {

struct BlockNeeds {
    std::int64_t threads = 0;
    int registers = 0; // a thread
    std::int64_t static_shared = 0;
    std::int64_t dynamic_shared = 0;
    int barriers = 0; // named ones that a block waits at
    // Shared memory of the multiprocessor that the driver is told to set apart; nothing: as much as helps.
    std::optional<std::int64_t> carve_out = {};
    std::int64_t grid_blocks = 0; // of the launch; 0: not known
};

enum class OccupancyLimit : std::uint8_t { Warps, Blocks, Registers, SharedMemory, Barriers };
const char* limit_name(OccupancyLimit limit); // "registers", "shared memory", "warps", "blocks", "barriers"

struct Occupancy {
    int blocks = 0; // a multiprocessor holds at a time
    int warps = 0;
    int most_warps = 0;
    double fraction = 0; // warps / most_warps, 0 to 1: of a multiprocessor that has all blocks it can hold
    std::vector<OccupancyLimit> limits; // which of them allow no further block; never empty unless `impossible`
    std::string limited_by;             // the same in words: "registers and shared memory"
    // Of the grid: full multiprocessors alone make a full device. All 0 where the grid or the device is not known.
    std::int64_t multiprocessors = 0, busy_multiprocessors = 0;
    double waves = 0; // blocks of the grid over those that the device holds at a time
    std::int64_t idle_multiprocessors() const { return multiprocessors - busy_multiprocessors; }
    // What has to go for one more block; 0: that is not in the way; -1: no saving helps.
    int registers_away = 0;             // a thread
    std::int64_t shared_bytes_away = 0; // a block
    std::string
        one_more; // in words: "8 fewer registers per thread would allow one more block"; empty at full occupancy
    std::string impossible; // why not even one block fits: "a block of 1088 threads; 1024 are possible"
};
// "100 % occupancy (limited by warps)", "100 % occupancy on 44 of 132 multiprocessors (limited by warps)"
std::string occupancy_text(const Occupancy& occupancy);
std::string waves_text(const Occupancy& occupancy); // "0.083"; empty: not known
std::string grid_text(const Occupancy& occupancy);  // "0.083 waves on 44 of 132 multiprocessors"; empty: not known
Occupancy occupancy_of(const artifact::TargetSpec& gpu, const BlockNeeds& needs);
// `blocks` alone, where it is known that a block is possible.
std::int64_t resident_blocks(const artifact::TargetSpec& gpu, const BlockNeeds& needs);

// How that depends on what a block takes: stairs, with the step that the kernel stands on, and how far it is to the next one up
// and down.
struct CliffStep {
    std::int64_t from = 0, to = 0; // values of one result
    int blocks = 0, warps = 0;     // of a multiprocessor; 0: no block fits
};

struct Cliff {
    std::string what; // "registers per thread", "bytes of shared memory per block", "threads per block"
    std::int64_t now = 0;
    std::vector<CliffStep> steps; // from the least value on
    std::string sentence;         // "40; 8 fewer give 8 blocks instead of 6, 1 more leaves 5"
};

// None of what is not known: registers before a compiler has said how many.
std::vector<Cliff> cliffs_of(const artifact::TargetSpec& gpu, const BlockNeeds& needs);

} // namespace hidet::perf
