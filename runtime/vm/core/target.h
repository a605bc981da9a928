// SPDX-License-Identifier: Apache-2.0
// Where an access goes.
#pragma once

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/lane_offsets.h"

namespace hidet::vm {

struct Target : MemoryArea {        // from the place of the part's offset 0 on
    std::byte* base = nullptr;      // of offset 0 of the part
    const LanePart* part = nullptr; // null: one address for all threads
    std::int64_t offset_of(int lane) const { return part ? part->offset_of(lane) : 0; }
    bool lane_by_lane = false; // pointers into several allocations
    bool local = false;
    const artifact::LocalArray* array = nullptr;
    std::int64_t local_offset = 0;
    void set_memory(const MemoryArea& memory, std::int64_t at) {
        static_cast<MemoryArea&>(*this) = memory;
        base = data + at, place += at, written_at += at;
    }
};

} // namespace hidet::vm
