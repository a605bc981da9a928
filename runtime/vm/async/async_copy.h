// SPDX-License-Identifier: Apache-2.0
// Copies of cp.async: threads that issue them together with one instruction have one record. Where the threads' places lie from
// the first one's is looked at once for an instruction and its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/mask.h"
#include "runtime/vm/vector/table.h"

namespace hidet::vm {

// Distances in bytes from the first lane of `lanes`, of all lanes from there to the last one of them.
struct CopyPlaces {
    std::vector<std::int64_t> of_lanes;
    std::int64_t lowest = 0, highest = 0;
    std::uint64_t low_bits = 0;
    std::uint64_t parts = 0; // the number of addresses that lie so; 0: not known
};
struct CopyPattern {
    Mask lanes;
    int first = 0; // lane
    CopyPlaces to, from;
    std::vector<int> rows; // the lanes, from the first one on
    struct Move {
        std::int64_t to = 0, from = 0;
    };
    std::vector<Move> moves;     // of those, the distances
    std::vector<LineMove> lines; // of the first so many of those, four together
    struct Run {
        std::int64_t at = 0, bytes = 0;
    };
    std::vector<Run> written, read; // what lies together of what they copy to and from
    std::vector<Touch> touches;     // of the destination, in the order of the granules
    std::vector<Cell> tags;
};

// Copies that were issued and not waited for.
struct PendingCopies {
    std::shared_ptr<const CopyPattern> pattern;
    Mask lanes; // of the pattern, whose copies are not done
    bool is_whole = true;
    std::uint64_t number = 0; // in the order in which the block issued them
    int group = -1;           // commit group, -1: not committed
    std::byte* to = nullptr;  // of the first lane
    const std::byte* from = nullptr;
    int bytes = 0, source_bytes = 0;
    std::uint32_t pc = 0;
    std::int64_t place = 0; // in the shared window
    std::size_t asked = 0;  // runs that are read for which the cache has been asked
};

} // namespace hidet::vm
