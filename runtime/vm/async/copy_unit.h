// SPDX-License-Identifier: Apache-2.0
// The copy unit of a block (bulk_copy.cpp), and how it takes boxes of tensors apart (tensor_copy.cpp).
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "runtime/vm/async/copies.h"
#include "runtime/vm/async/swizzle.h"
#include "runtime/vm/barriers.h"
#include "runtime/vm/core/block_view.h"

namespace hidet::vm {

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
