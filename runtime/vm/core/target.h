// SPDX-License-Identifier: Apache-2.0
// Where an access goes.
#pragma once

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/lane_offsets.h"

namespace hidet::vm {

struct Target {
    Shadow* shadow = nullptr;       // of shared memory, where the order of accesses is checked
    GlobalShadow* global = nullptr; // of global memory that it may be
    std::uint32_t id = 0;           // of that
    std::int64_t place = 0;         // in it
    InitBitmap* written = nullptr;  // of memory of which some may be undefined
    std::int64_t written_at = 0;    // in it
    bool is_shared = false;
    std::byte* base = nullptr;      // of offset 0 of the part
    const LanePart* part = nullptr; // null: one address for all threads
    std::int64_t offset_of(int lane) const { return part ? part->offset_of(lane) : 0; }
    bool lane_by_lane = false; // pointers into several allocations
    bool local = false;
    const artifact::LocalArray* array = nullptr;
    std::int64_t local_offset = 0;
    void set_memory(const MemoryArea& memory, std::int64_t at);
};

} // namespace hidet::vm
