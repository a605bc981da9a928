// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel one multiprocessor holds at a time, and what keeps it from holding more. Pure arithmetic by the
// rules of CUDA's occupancy calculator; clusters, which need their blocks near each other, are not considered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hidet::session {

struct OccupancyLimits { // of one multiprocessor
    int capability = 0;  // 90
    int warps = 0;
    int blocks = 0;
    std::int64_t shared = 0;           // bytes
    std::int64_t shared_per_block = 0; // bytes, static and dynamic, with opting in
    int shared_unit = 0;               // bytes are given to blocks in pieces of this
    int shared_reserved = 0;           // bytes that the system takes for each block
    int registers = 65'536;
    int partitions = 4;      // a warp and its registers live in one of them
    int register_unit = 256; // registers are given to warps in pieces of this
    int registers_per_thread = 255;
    int threads_per_block = 1024;
};
// Of this capability, or of the newest known one below it: 103 counts as 100. Null below 75.
const OccupancyLimits* occupancy_limits(int capability);

struct BlockNeeds {
    std::int64_t threads = 0;
    int registers = 0; // a thread
    std::int64_t static_shared = 0;
    std::int64_t dynamic_shared = 0;
    // Shared memory of the multiprocessor that the driver is told to set apart; nothing: as much as helps.
    std::optional<std::int64_t> carve_out = {};
};

enum class OccupancyLimit : std::uint8_t { Warps, Blocks, Registers, SharedMemory };
const char* limit_name(OccupancyLimit limit); // "registers", "shared memory", "warps", "blocks"

struct Occupancy {
    int blocks = 0; // a multiprocessor holds at a time
    int warps = 0;
    int most_warps = 0;
    double fraction = 0;                // warps / most_warps, 0 to 1
    std::vector<OccupancyLimit> limits; // which of them allow no further block; never empty unless `impossible`
    std::string limited_by;             // the same in words: "registers and shared memory"
    // What has to go for one more block; 0: that is not in the way; -1: no saving helps.
    int registers_away = 0;             // a thread
    std::int64_t shared_bytes_away = 0; // a block
    std::string one_more;   // in words: "8 fewer registers a thread give one more block"; empty at full occupancy
    std::string impossible; // why not even one block fits: "a block of 1088 threads; 1024 are possible"
};
Occupancy occupancy_of(const OccupancyLimits& limits, const BlockNeeds& needs);

} // namespace hidet::session
