// SPDX-License-Identifier: Apache-2.0
// What one request of a warp to memory costs: sectors of 32 bytes of global memory; of shared memory wavefronts, of which each
// gives one word of 4 bytes of each of the 32 banks. The emulator counts by it what a kernel does, and the analysis of
// accesses what it will do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace hidet::artifact {

inline constexpr int sector_bytes = 32, line_bytes = 128; // of global memory
inline constexpr int bank_count = 32, bank_bytes = 4;     // of shared memory

// What a lane touches; never negative, and never empty.
struct Piece {
    std::int64_t begin = 0, size = 0;
};

// Of one memory.
struct Traffic {
    std::uint64_t requests = 0; // one for each warp of an access with a running thread
    std::uint64_t bytes = 0;    // that threads asked for
    std::uint64_t units = 0;    // sectors, wavefronts
    std::uint64_t least = 0;    // that would do: for as many bytes side by side, without a bank conflict
    std::uint64_t worst = 0;    // times what would do, of one request

    void add(const Traffic& other) {
        requests += other.requests, bytes += other.bytes, units += other.units, least += other.least;
        worst = std::max(worst, other.worst);
    }
};

// Of one warp. Sorts the pieces.
Traffic sectors_of(std::span<Piece> pieces);
// Of one warp, whose pieces are those of these lanes and all of one size. A word that several lanes want is read once, but is
// updated once for each. `from`: what an asynchronous copy
// of each lane reads of global memory, nothing where it has no bytes. What lies within 128 bytes is taken at once, wherever they
// begin, and no more: rows of 64 bytes take a wavefront each. Measured on an H200 for copies of 4, 8 and 16 bytes.
Traffic banks_of(std::span<const Piece> pieces, std::span<const int> lanes, bool updates,
                 std::span<const Piece> from = {});
// How many lanes are served at a time: 32 of up to 4 bytes, 16 of 8, 8 of 16.
int lanes_together(std::int64_t bytes_of_lane);

} // namespace hidet::artifact
