// SPDX-License-Identifier: Apache-2.0
// What is remembered of the addresses of an access, for as long as the numbers of its registers stay (block.h).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/observe/counters.h"
#include "runtime/vm/vector/table.h"

namespace hidet::vm {

// What the lanes touch of memory that is watched in granules of so many bytes.
struct TouchList {
    int granule = 0;
    bool meets = false; // several threads touch one granule
    std::vector<Touch> touches;
    std::vector<Cell> tags; // of the touches
    Touches from(std::size_t first, std::size_t end, bool writes) const {
        return {touches.data() + first, writes && meets ? nullptr : tags.data() + first, end - first};
    }
    Touches all(bool writes) const { return from(0, touches.size(), writes); }
    // The same by lines of 64 granules, of which a bit says that it is touched.
    struct Line {
        std::int64_t line = 0;
        std::uint64_t mask = 0;
    };
    std::vector<Line> lines;
    // Calls f(line, mask) for the touches from granule `base` on, line by line.
    template <class F>
    void for_each_line(std::int64_t base, F&& f) const {
        const std::int64_t first = base >> 6;
        const int shift = static_cast<int>(base & 63);
        Line rest; // of the line before, in the next one
        for (const Line& each : lines) {
            if (rest.mask && rest.line != first + each.line)
                f(rest.line, std::exchange(rest.mask, 0));
            if (const std::uint64_t mask = each.mask << shift | rest.mask)
                f(first + each.line, mask);
            rest = {first + each.line + 1, shift ? each.mask >> (64 - shift) : 0};
        }
        if (rest.mask)
            f(rest.line, rest.mask);
    }
};

// What all the chunks of lanes have: one place each, sixteen neighbours each, or the same places as the first chunk.
enum class ChunkShape : std::uint8_t { Mixed, One, Neighbours, AsFirst };

// The lanes' part of an address.
struct LanePart {
    struct Range {
        std::int64_t lowest = 0, highest = 0;
    };
    std::vector<Range> ranges; // of the lanes' part of each term
    Pattern pattern;
    std::vector<std::int64_t> offsets, chunk_offsets;
    std::vector<ChunkKind> kinds;
    ChunkShape shape{};
    LaneOffsets view() const {
        return {offsets.data(), chunk_offsets.data(), kinds.data(), &pattern, static_cast<int>(kinds.size())};
    }
    std::uint64_t lane_pointer = 0; // of the first running lane, where the pointer itself differs
    int first_chunk = 0;
    std::int64_t offset_of(int lane) const {
        return offsets[static_cast<std::size_t>(lane - chunk_lanes * first_chunk)];
    }
    bool is_kept = false; // as long as the block's run
    std::vector<std::unique_ptr<TouchList>> touches;
    struct Run {
        std::int64_t offset = 0, bytes = 0;
    };
    std::vector<Run> runs; // of global memory
    // What an access of the kind costs.
    struct Known {
        int base = 0; // in a sector, or a word
        int bytes = 0;
        bool is_shared = false, updates = false;
        bool operator==(const Known&) const = default;
    };
    mutable std::vector<std::pair<Known, Traffic>> traffic;
};

// What an access of a group last saw: the running threads, and for each term the contents and the stride.
struct Site {
    struct Seen {
        std::uint64_t version = 0;
        std::int64_t stride = 0;
        bool operator==(const Seen&) const = default;
    };
    static constexpr int most_terms = 6;
    std::uint64_t mask_version = 0;
    Seen seen[most_terms];
    LanePart* part = nullptr;
    std::unique_ptr<LanePart> own; // for parts that will not be seen again
};

// How far the addresses of lanes are from the first one's, for what registers hold.
struct LaneDistances {
    std::uint64_t version = 0;
    std::vector<std::int64_t> of_lanes;
};
struct PutOffAddress { // of a register that does not hold it yet
    std::uint64_t version = 0, base = 0;
    std::uint64_t parts = 0; // the number of the distances
    const std::int64_t* distances = nullptr;
    int count = 0;
};

} // namespace hidet::vm
