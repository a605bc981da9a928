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

// Rows of matrices belong to all lanes of the warp.
void Block::watch_row(Group& group, int w, std::uint64_t pointer, Purpose purpose) {
    if (!m_order)
        return;
    const std::size_t first = m_shadow->granule_of(shared_memory(pointer).place);
    const auto count = m_shadow->granules_of(16);
    m_conflicts.clear();
    m_shadow->touch_run(purpose, first, count, warp_set(w), visit(group), m_conflicts);
    if (!m_conflicts.empty())
        tell(group, nullptr, *m_shadow, purpose);
}

std::byte* Block::matrix_row(Group& group, const artifact::Operands& row, int lane, Purpose purpose) {
    const char* what = purpose == Purpose::Load ? "loads a matrix from" : "stores a matrix to";
    const auto pointer = lane_value<std::uint64_t>(group, row.items.back(), lane);
    if (!is_own_shared(pointer))
        fail(group, FindingKind::InvalidPointer, lane, std::string(what) + " memory that is not shared memory");
    std::byte* place = checked_pointer(group, pointer, 16, 16, lane, purpose, what);
    watch_row(group, lane / 32, pointer, purpose);
    return place;
}

void Block::load_matrix(Group& group, const Step& step) {
    check_whole_warps(group, "ldmatrix");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    bool transposed = m_context.program->strings[static_cast<std::size_t>(row.text)] == "trans";
    int tiles = row.definitions;
    for (int w = 0; w < m_warps; ++w) {
        if (!group.active.warp(w))
            continue;
        for (int t = 0; t < tiles; ++t) {
            std::uint16_t tile[8][8];
            for (int r = 0; r < 8; ++r)
                std::memcpy(tile[r], matrix_row(group, row, 32 * w + 8 * t + r, Purpose::Load), 16);
            std::int32_t reg = row.items[static_cast<std::size_t>(t)];
            auto* out = reinterpret_cast<std::uint32_t*>(lanes(reg)) + 32 * w;
            for (int l = 0; l < 32; ++l) {
                int i = l / 4, j = l % 4 * 2;
                std::uint32_t low = transposed ? tile[j][i] : tile[i][j];
                std::uint32_t high = transposed ? tile[j + 1][i] : tile[i][j + 1];
                out[l] = low | high << 16;
            }
            written(reg);
        }
    }
    if (!m_counters.empty())
        count_tiles(group, row, tiles);
}

void Block::store_matrix(Group& group, const Step& step) {
    check_whole_warps(group, "stmatrix");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    const bool transposed = m_context.program->strings[static_cast<std::size_t>(row.text)] == "trans";
    for (int w = 0; w < m_warps; ++w) {
        if (!group.active.warp(w))
            continue;
        for (std::size_t t = 0; t + 1 < row.items.size(); ++t) {
            std::uint16_t tile[8][8];
            for (int l = 0; l < 32; ++l) {
                const auto word = lane_value<std::uint32_t>(group, row.items[t], 32 * w + l);
                const int i = l / 4, j = l % 4 * 2;
                (transposed ? tile[j][i] : tile[i][j]) = static_cast<std::uint16_t>(word);
                (transposed ? tile[j + 1][i] : tile[i][j + 1]) = static_cast<std::uint16_t>(word >> 16);
            }
            for (int r = 0; r < 8; ++r)
                std::memcpy(matrix_row(group, row, 32 * w + 8 * static_cast<int>(t) + r, Purpose::Store), tile[r], 16);
        }
    }
    if (!m_counters.empty())
        count_tiles(group, row, static_cast<int>(row.items.size()) - 1);
}

void Block::multiply(Group& group, const Step& step) {
    check_whole_warps(group, "a matrix product");
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    const MmaShape* shape = find_mma(m_context.program->strings[static_cast<std::size_t>(row.text)]);
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
