// SPDX-License-Identifier: Apache-2.0
// The copy unit of a block (bulk_copy.cpp), and how it takes boxes of tensors apart (tensor_copy.cpp).
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "runtime/vm/async/swizzle.h"
#include "runtime/vm/core/block_view.h"

namespace hidet::artifact {
struct TensorMap;
}

namespace hidet::vm {

// The cache is asked for all lines of so many bytes; returns how many that are.
inline int ask_for(const std::byte* from, std::int64_t bytes) {
    constexpr std::uintptr_t line_bytes = 64;
    const auto line_of = [](const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at) / line_bytes; };
    const std::uintptr_t first = line_of(from), last = line_of(from + bytes - 1);
    for (std::uintptr_t line = first; line <= last; ++line)
        __builtin_prefetch(reinterpret_cast<const std::byte*>(line * line_bytes));
    return static_cast<int>(last - first + 1);
}

// Bytes that lie together in shared memory and, as far as they are copied, in global memory. Of rows behind each other in shared
// memory all are copied.
struct CopyRun {
    std::int64_t shared = 0;     // bytes from the beginning of the array
    std::byte* global = nullptr; // of the first byte that is copied
    std::int32_t bytes = 0;      // in shared memory, of a row
    std::int32_t skipped = 0;    // of them, before those that are copied; others become 0
    std::int32_t copied = 0;
    bool is_swizzled = false; // it is a row that is as long as the swizzle: its 16-byte pieces are exchanged
    std::int32_t rows = 1;
    std::int64_t pitch = 0; // bytes from row to row in global memory
};
// A copy by a tensor map, as it is issued.
struct TensorCopy {
    const artifact::TensorMap& map;
    std::uint64_t tile = 0; // in shared memory
    int lane = 0;
    Purpose at_tensor{}; // what is done to the tensor
};
// A copy of the copy unit that is under way.
struct BulkCopy {
    std::size_t row = 0; // of the shared arrays
    std::vector<CopyRun> runs;
    std::int64_t bytes = 0;
    std::int64_t row_bytes = 0;         // of a row of the box, which may be several runs
    const std::byte* memory = nullptr;  // where what the runs lie in begins, as if at a multiple of a sector
    const std::byte* barrier = nullptr; // to shared memory: that counts the bytes
    int lane = 0;                       // from shared memory: that waits for it
    int group = -1;                     // which group it is in, -1: in none yet
    std::uint32_t pc = 0;
    int swizzle = -1;           // of a box: bytes of the rows whose parts it moves
    Epoch epoch = 0;            // from shared memory: when it began
    std::optional<Op> update{}; // from shared memory: how values are combined, by the atomic of the name
    Scalar element{};           // of them
    std::size_t asked = 0;      // runs of which the cache has been asked for what they read, and so far of the next one
    std::int32_t asked_rows = 0;
};

// Of 16 bytes of shared memory: the copy of a box that wrote them, and bytes of the rows that its swizzle moves.
struct Swizzled {
    std::uint32_t pc = 0;
    std::int16_t row_bytes = 0;
    bool operator==(const Swizzled&) const = default;
};
struct KnownLoad { // that left its marks, of which none changed since
    std::int64_t place = 0, bytes = 0;
    Swizzled marks;
    std::uint64_t changes = 0;
    bool operator==(const KnownLoad&) const = default;
};

class CopyUnit : BlockView {
public:
    explicit CopyUnit(const BlockView& view);
    void begin();
    const std::deque<BulkCopy>& loads() const { return m_loads; }
    const Swizzled& swizzle_at(std::int64_t place) const {
        return m_swizzled[static_cast<std::size_t>(place) / swizzled_bytes];
    }
    std::uint64_t swizzle_changes() const { return m_swizzle_changes; }
    void copy_box(Group& group, const Step& step);
    void copy_bytes(Group& group, const Step& step);
    void prefetch_bytes(Group& group, const Step& step);
    bool deliver_bulk();
    void ask_ahead(int lines);
    void commit_bulk(Group& group);
    void await_bulk(Group& group, const Step& step);
    void check_stores();
    void check_swizzle(Group& group, std::int64_t place, std::int64_t row_bytes, const char* how);

private:
    const std::byte* begin_of(std::uint64_t pointer) const; // of the memory that it points into
    artifact::TensorMap tensor_map_at(Group& group, std::uint64_t pointer, int lane);
    void load_bulk(Group& group, BulkCopy copy, std::uint64_t barrier, std::uint32_t mask, int lane);
    void move_bulk(Group& group, BulkCopy copy, std::uint64_t to, std::uint64_t barrier, int lane);
    void store_bulk(Group& group, BulkCopy copy, int lane);
    Actor store_unit(int lane);
    void check_copy(Group& group, const BulkCopy& copy, Block& owner, int lane, Purpose purpose, Actor unit);
    void move_to_shared(const BulkCopy& copy);
    void record_load(const BulkCopy& copy, std::int64_t first, std::int64_t bytes, Actor unit);
    std::optional<Op> update_of(const Step& step) const;
    void move_from_shared(const BulkCopy& copy);
    void add_row(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::int64_t at,
                 std::vector<CopyRun>& runs);
    bool is_plain_box(const TensorCopy& copy, const std::int64_t* coords);
    void add_rows(const TensorCopy& copy, const std::int64_t* coords, std::int64_t at, std::vector<CopyRun>& runs);
    void add_box(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::vector<CopyRun>& runs);
    void add_pixels(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::vector<CopyRun>& runs);

    std::deque<BulkCopy> m_loads, m_stores; // to and from shared memory
    std::vector<int> m_bulk_groups;         // of each lane so far
    std::map<int, Actor> m_store_units;     // by the thread that waits
    std::vector<Swizzled> m_swizzled;
    std::array<KnownLoad, 16> m_known_loads;
    std::uint64_t m_swizzle_changes = 1; // of those
};

} // namespace hidet::vm
