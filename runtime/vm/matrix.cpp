// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, ldmatrix, stmatrix and mma: what a warp does on whole tiles.
//
// A copy moves its data as late as is legal, when the issuing thread waits for it, and fills its destination with NaNs
// when it is issued; so a kernel that reads too early computes what nobody takes for a result.
#include <algorithm>

#include "runtime/vm/block.h"
#include "runtime/vm/mma.h"

namespace hidet::vm {

using artifact::is_u;
using artifact::is_v;
using artifact::register_of;

namespace {
constexpr int row_bytes = 16;                // of a matrix
constexpr std::size_t most_rows_kept = 4096; // addresses of ldmatrix and stmatrix that have been looked at
} // namespace

void Block::issue_copy(Group& group, const Step& step) {
    int bytes = step.instr.x;
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (!group.active.test(lane))
            continue;
        auto to = lane_value<std::uint64_t>(group, step.instr.a, lane);
        auto from = lane_value<std::uint64_t>(group, step.instr.b, lane);
        int source = step.instr.c < 0 ? bytes : lane_value<std::int32_t>(group, step.instr.c, lane);
        if (source < 0 || source > bytes)
            fail(group, FindingKind::AsyncCopy, lane,
                 "copies " + std::to_string(source) + " of " + std::to_string(bytes) + " bytes asynchronously");
        if (!is_own_shared(to))
            fail(group, FindingKind::AsyncCopy, lane, "copies asynchronously to memory that is not shared memory");
        PendingCopy copy;
        copy.place = shared_memory(to).place;
        copy.to = checked_pointer(group, to, bytes, bytes, lane, Purpose::Store, "copies asynchronously to");
        if (source)
            copy.from = checked_pointer(group, from, source, bytes, lane, Purpose::Load, "copies asynchronously from");
        if (m_order) {
            watch_bytes(group, to, bytes, lane, Purpose::Store, true);
            watch_bytes(group, from, source, lane, Purpose::Load, false);
            watch_global_bytes(group, from, source, lane, Purpose::Load);
            watch_within_bytes(group, from, source, lane, Purpose::Load);
        }
        copy.number = m_issued++;
        copy.lane = lane, copy.bytes = bytes, copy.source_bytes = source, copy.pc = group.pc - 1;
        std::memset(copy.to, 0xFF, static_cast<std::size_t>(bytes));
        m_copies.push_back(copy);
    }
    if (!m_counters.empty())
        count_copies(group, step);
}

void Block::commit_copies(Group& group) {
    for (PendingCopy& copy : m_copies)
        if (copy.group < 0 && group.active.test(copy.lane))
            copy.group = m_commits[static_cast<std::size_t>(copy.lane)];
    for (int lane = 0; lane < m_lanes; ++lane)
        if (group.active.test(lane))
            ++m_commits[static_cast<std::size_t>(lane)];
}

// `at`: when its thread knows of it, if the order of accesses is checked.
void Block::complete(const PendingCopy& copy, Stamp at) {
    if (copy.source_bytes)
        std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.source_bytes));
    std::memset(copy.to + copy.source_bytes, 0, static_cast<std::size_t>(copy.bytes - copy.source_bytes));
    if (m_order)
        m_shadow->arrive(m_shadow->granule_of(copy.place),
                         static_cast<std::size_t>(copy.bytes / m_shadow->granule_bytes()),
                         m_order->thread_actor(m_rank, copy.lane), at, copy.pc);
}

void Block::wait_copies(Group& group, const Step& step) {
    int pending = step.instr.x;
    std::size_t kept = 0;
    for (PendingCopy& copy : m_copies) {
        bool done = group.active.test(copy.lane);
        if (pending >= 0)
            done = done && copy.group >= 0 && copy.group < m_commits[static_cast<std::size_t>(copy.lane)] - pending;
        if (done)
            complete(copy, m_order ? m_order->now() : 0);
        else
            m_copies[kept++] = copy;
    }
    m_copies.resize(kept);
}

void Block::arrive_with_copies(Group& group, const Step& step) {
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (!group.active.test(lane))
            continue;
        const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
        mbarrier_at(group, *this, pointer, lane, "arrives at").pending += step.instr.x;
        CopyArrival arrival;
        arrival.barrier = mbarrier_place(group, pointer, lane, "arrives at");
        arrival.lane = lane, arrival.before = m_issued;
        if (m_order) {
            Mbarrier& barrier = mbarrier_at(group, *this, pointer, lane, "arrives at");
            check_made(group, *this, barrier, pointer, lane, false);
            Mask self;
            self.set(lane);
            arrival.at = m_order->now();
            arrival.knows = m_order->release(m_rank, self, alive_lanes());
        }
        m_copy_arrivals.push_back(std::move(arrival));
    }
    if (m_order)
        m_order->step();
}

// The copies end that the oldest arrival waits for. False: there is none.
bool Block::finish_copies() {
    if (m_copy_arrivals.empty())
        return false;
    const CopyArrival arrival = std::move(m_copy_arrivals.front());
    m_copy_arrivals.pop_front();
    std::erase_if(m_copies, [&](const PendingCopy& copy) {
        const bool is_done = copy.lane == arrival.lane && copy.number < arrival.before;
        if (is_done)
            complete(copy, arrival.at);
        return is_done;
    });
    if (const auto barrier = m_mbarriers.find(arrival.barrier);
        barrier != m_mbarriers.end() && barrier->second.pending > 0) {
        --barrier->second.pending;
        barrier->second.arrived.join(arrival.knows);
        settle(barrier->second);
    }
    return true;
}

// Rows of matrices belong to all lanes of the warp. Addresses that come again, as in each turn of a loop, are looked at once.
const MatrixRows& Block::matrix_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose) {
    const std::uint64_t version = m_versions[static_cast<std::size_t>(register_of(row.items.back()))];
    if (!is_v(row.items.back()) || (version & fresh_bit)) {
        learn_rows(group, row, count, purpose, m_fresh_rows);
        return m_fresh_rows;
    }
    const auto key = mix(mix(version, group.mask_version), static_cast<std::uint64_t>(count));
    if (m_matrix_rows.size() >= most_rows_kept && !m_matrix_rows.contains(key))
        m_matrix_rows.clear();
    const auto [it, is_new] = m_matrix_rows.try_emplace(key);
    if (is_new)
        learn_rows(group, row, count, purpose, it->second);
    return it->second;
}

void Block::learn_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose, MatrixRows& out) {
    const char* what = purpose == Purpose::Load ? "loads a matrix from" : "stores a matrix to";
    out.warps.resize(static_cast<std::size_t>(m_warps));
    for (int w = 0; w < m_warps; ++w) {
        MatrixRows::OfWarp& own = out.warps[static_cast<std::size_t>(w)];
        own = {};
        if (!group.active.warp(w))
            continue;
        std::vector<std::int64_t> granules;
        for (int lane = 32 * w; lane < 32 * w + 8 * count; ++lane) {
            const auto pointer = lane_value<std::uint64_t>(group, row.items.back(), lane);
            if (!is_own_shared(pointer))
                fail(group, FindingKind::InvalidPointer, lane, std::string(what) + " memory that is not shared memory");
            own.rows.push_back(checked_pointer(group, pointer, row_bytes, row_bytes, lane, purpose, what));
            for (std::size_t g = 0; m_order && g < m_shadow->granules_of(row_bytes); ++g)
                granules.push_back(static_cast<std::int64_t>(m_shadow->granule_of(shared_memory(pointer).place) + g));
        }
        std::sort(granules.begin(), granules.end());
        granules.erase(std::unique(granules.begin(), granules.end()), granules.end());
        for (std::int64_t granule : granules) {
            own.touches.push_back({static_cast<std::int32_t>(granule), warp_set(w)});
            own.tags.push_back(Cell{warp_set(w)} << actor_shift);
        }
    }
}

void Block::watch_rows(Group& group, const MatrixRows& rows, int w, Purpose purpose) {
    if (!m_order)
        return;
    const MatrixRows::OfWarp& own = rows.warps[static_cast<std::size_t>(w)];
    m_conflicts.clear();
    if (purpose == Purpose::Load)
        m_shadow->read(own.touches.data(), own.tags.data(), own.touches.size(), 0, visit(group), m_conflicts);
    else
        m_shadow->write(own.touches.data(), nullptr, own.touches.size(), 0, visit(group), m_conflicts);
    if (!m_conflicts.empty())
        tell(group, nullptr, *m_shadow, purpose);
}

namespace {

using Halves = std::uint16_t __attribute__((vector_size(row_bytes), may_alias));

// The transpose of eight rows of eight 16-bit values.
void turn(Halves* rows) {
    Halves by_two[8], by_four[8];
    for (int i = 0; i < 4; ++i) { // rows i and i + 4, element by element
        by_two[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        by_two[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; ++i) {
        by_four[2 * i] = __builtin_shufflevector(by_two[i], by_two[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        by_four[2 * i + 1] = __builtin_shufflevector(by_two[i], by_two[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; ++i) {
        rows[2 * i] = __builtin_shufflevector(by_four[i], by_four[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        rows[2 * i + 1] = __builtin_shufflevector(by_four[i], by_four[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
}

} // namespace

// Eight lanes of four words each have a tile's rows as they lie.
void Block::load_matrix(Group& group, const Step& step) {
    check_whole_warps(group, "ldmatrix");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    const bool transposed = m_context.program->strings[static_cast<std::size_t>(row.text)] == "trans";
    const int tiles = row.definitions;
    const MatrixRows& rows = matrix_rows(group, row, tiles, Purpose::Load);
    for (int w = 0; w < m_warps; ++w) {
        if (!group.active.warp(w))
            continue;
        watch_rows(group, rows, w, Purpose::Load);
        for (int t = 0; t < tiles; ++t) {
            Halves tile[8];
            std::byte* const* from = rows.warps[static_cast<std::size_t>(w)].rows.data() + 8 * t;
            for (int r = 0; r < 8; ++r)
                std::memcpy(&tile[r], from[r], row_bytes);
            if (transposed)
                turn(tile);
            std::memcpy(lanes(row.items[static_cast<std::size_t>(t)]) + std::size_t{128} * static_cast<std::size_t>(w),
                        tile, sizeof tile);
        }
    }
    for (int t = 0; t < tiles; ++t)
        written(row.items[static_cast<std::size_t>(t)]);
    if (!m_counters.empty())
        count_tiles(group, row, tiles);
}

void Block::store_matrix(Group& group, const Step& step) {
    check_whole_warps(group, "stmatrix");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    const bool transposed = m_context.program->strings[static_cast<std::size_t>(row.text)] == "trans";
    const int tiles = static_cast<int>(row.items.size()) - 1;
    const MatrixRows& rows = matrix_rows(group, row, tiles, Purpose::Store);
    for (int w = 0; w < m_warps; ++w) {
        if (!group.active.warp(w))
            continue;
        watch_rows(group, rows, w, Purpose::Store);
        for (int t = 0; t < tiles; ++t) {
            Halves tile[8];
            for (int l = 0; l < 32; ++l) {
                const auto word = lane_value<std::uint32_t>(group, row.items[static_cast<std::size_t>(t)], 32 * w + l);
                std::memcpy(reinterpret_cast<std::byte*>(tile) + 4 * l, &word, sizeof word);
            }
            if (transposed)
                turn(tile);
            std::byte* const* to = rows.warps[static_cast<std::size_t>(w)].rows.data() + 8 * t;
            for (int r = 0; r < 8; ++r)
                std::memcpy(to[r], &tile[r], row_bytes);
        }
    }
    if (!m_counters.empty())
        count_tiles(group, row, tiles);
}

void Block::multiply(Group& group, const Step& step) {
    check_whole_warps(group, "a matrix product");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    m_mma_shapes.resize(m_function.operands.size());
    const MmaShape*& shape = m_mma_shapes[static_cast<std::size_t>(step.instr.x)];
    if (!shape)
        shape = find_mma(m_context.program->strings[static_cast<std::size_t>(row.text)]);
    if (!shape)
        fail(group, FindingKind::BadCall, -1,
             "uses the unknown matrix instruction '" + m_context.program->strings[static_cast<std::size_t>(row.text)] +
                 "'");
    for (int w = 0; w < m_warps; ++w) {
        if (!group.active.warp(w))
            continue;
        std::uint32_t* regs[32];
        for (std::size_t i = 0; i < row.items.size(); ++i)
            regs[i] = reinterpret_cast<std::uint32_t*>(lanes(row.items[i])) + 32 * w;
        std::uint32_t** c = regs;
        std::uint32_t** a = regs + shape->c_registers;
        std::uint32_t** b = a + shape->a_registers;
        m_table.mma(*shape, c, a, b, 1);
    }
    add_flops(group, 2ull * static_cast<std::uint64_t>(shape->m * shape->n * shape->k) *
                         static_cast<std::uint64_t>(group.running / 32));
    for (int i = 0; i < row.definitions; ++i)
        written(row.items[static_cast<std::size_t>(i)]);
}

} // namespace hidet::vm
