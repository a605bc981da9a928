// SPDX-License-Identifier: Apache-2.0
// Allocations and the addresses of them. An address is [63:48] the number of an allocation, [47:0] a place in it plus a
// bias, so that adding to an address that went below its allocation never changes the number. Numbers are not used again
// for a long time, so a use after the memory is gone is seen.
#pragma once

#include <deque>
#include <map>

#include "runtime/vm/machine.h"

namespace hidet::vm {

inline constexpr int id_shift = 48;
inline constexpr std::uint64_t offset_mask = (std::uint64_t(1) << id_shift) - 1;
inline constexpr std::int64_t offset_bias = std::int64_t(1) << 46;
inline constexpr std::uint32_t first_shared_id = 0xC000; // + row of the kernel's shared arrays
inline constexpr std::uint32_t first_local_id = 0xD000;  // + row of the function's local arrays

inline constexpr std::uint32_t first_remote_id = 0xE000; // + row + remote_rows * rank of the block in its cluster
inline constexpr std::uint32_t remote_rows = 256;

inline std::uint32_t id_of(std::uint64_t pointer) {
    return static_cast<std::uint32_t>(pointer >> id_shift);
}
inline std::int64_t offset_of(std::uint64_t pointer) {
    return static_cast<std::int64_t>(pointer & offset_mask) - offset_bias;
}
inline std::uint64_t make_pointer(std::uint32_t id, std::int64_t offset) {
    return (static_cast<std::uint64_t>(id) << id_shift) |
           (static_cast<std::uint64_t>(offset + offset_bias) & offset_mask);
}
inline bool is_own_shared(std::uint64_t pointer) {
    return id_of(pointer) >= first_shared_id && id_of(pointer) < first_local_id;
}
inline bool is_local(std::uint64_t pointer) {
    return id_of(pointer) >= first_local_id && id_of(pointer) < first_remote_id;
}
inline bool is_remote_shared(std::uint64_t pointer) {
    return id_of(pointer) >= first_remote_id;
}

// Of a pointer to shared memory: the row of the array, and the rank of another block.
inline std::uint32_t shared_row(std::uint64_t pointer) {
    return is_own_shared(pointer) ? id_of(pointer) - first_shared_id : (id_of(pointer) - first_remote_id) % remote_rows;
}
inline std::uint32_t remote_rank(std::uint64_t pointer) {
    return (id_of(pointer) - first_remote_id) / remote_rows;
}

struct Allocation {
    std::byte* data = nullptr; // null: memory of a real device, which only it can read
    std::int64_t bytes = 0;
    BufferInfo info;
    bool live = false;
};

class Memory {
public:
    std::uint64_t map(std::byte* data, std::size_t bytes, BufferInfo info);
    void unmap(std::uint64_t pointer);
    // Null: no such allocation, now.
    const Allocation* find(std::uint32_t id) const {
        return id < m_allocations.size() && m_allocations[id].live ? &m_allocations[id] : nullptr;
    }
    const Allocation* was(std::uint32_t id) const {
        return id && id < m_allocations.size() ? &m_allocations[id] : nullptr;
    }

    // Memory of the machine's own: workspace, global variables, local arrays of host functions.
    std::uint64_t allocate(std::size_t bytes, BufferInfo info);
    void free(std::uint64_t pointer);

private:
    std::deque<Allocation> m_allocations{1}; // row 0 is the null pointer
    std::deque<std::uint32_t> m_free;
    std::map<std::pair<std::uint64_t, std::size_t>, std::uint32_t> m_mapped; // by address and bytes
    std::map<std::uint32_t, std::unique_ptr<std::byte[]>> m_owned;
};

} // namespace hidet::vm
