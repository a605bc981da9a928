// SPDX-License-Identifier: Apache-2.0
// What a block that is watched tells its timeline. Nothing of this runs for others.
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::vm {

namespace {

constexpr std::uint64_t operations_of_step = 1024; // of a warp, of products of matrices

} // namespace

void Observer::observe(Group& group, const Step& step) {
    count(group, step);
    if (m_context.tiles)
        BlockTiles::follow_line(m_block, group);
    if (m_timeline && group.running)
        note_step(group, step);
}

// Before it runs. Those that may be asked again while others are waited for tell of themselves where they go on.
void Observer::note_step(Group& group, const Step& step) {
    const std::uint32_t warps = warp_bits(group.active), pc = group.pc - 1;
    const Instr& i = step.instr;
    switch (step.op) {
    case Op::Spin:
    case Op::MbarWait:
    case Op::MbarTest:
    case Op::Wgmma:
    case Op::WarpGroup:
    case Op::Registers: return;
    case Op::Barrier:
    case Op::BarrierArrive:
    case Op::BarrierReduce: {
        const bool is_numbered = i.a >= 0 && step.op != Op::BarrierReduce;
        m_timeline->advance(warps, 1);
        return m_timeline->arrive(is_numbered ? static_cast<int>(u_slot(group, i.a)) : 0, warps, pc,
                                  step.op != Op::BarrierArrive);
    }
    case Op::ClusterBarrier: return m_timeline->arrive(Timeline::of_cluster, warps, pc, true);
    case Op::CpCommit: return m_timeline->commit(warps);
    case Op::CpWait: return m_timeline->await_copies(warps, pc, i.x);
    case Op::BulkCommit: return m_timeline->commit_boxes(warps);
    case Op::BulkWait: return m_timeline->await_boxes(warps, pc, i.x);
    default: break;
    }
    if (work_kind(i))
        m_timeline->advance(warps, 1);
    if (step.op == Op::CpAsync)
        note_copies(group, step);
    const auto row = static_cast<std::size_t>(i.x);
    if (step.op == Op::Store && m_function.accesses[row].space == artifact::Space::Pointer)
        m_timeline->store(warps, pc);
}

void Observer::note_copies(const Group& group, const Step& step) {
    for (int w : running_warps(group)) {
        const std::uint32_t lanes = group.active.warp(w);
        const std::uint64_t to = m_block.memory.pointer_of(group, step.instr.a, 32 * w + __builtin_ctz(lanes));
        const std::int64_t place = is_own_shared(to) ? m_block.memory.shared_memory(to).place : -1;
        m_timeline->copy(w, group.pc - 1, place, std::int64_t{step.instr.x} * __builtin_popcount(lanes));
    }
}

// What an instruction computed.
void Observer::note_flops(const Group& group, std::uint64_t flops) {
    const Step& step = m_context.code->steps[group.pc - 1];
    const std::uint32_t warps = warp_bits(group.active);
    if (step.op == Op::Wgmma || flops == 0 || !warps)
        return;
    const bool is_product = step.op == Op::Mma;
    const std::uint64_t of_warp = flops / static_cast<std::uint64_t>(__builtin_popcount(warps));
    const std::uint64_t steps = std::max<std::uint64_t>(of_warp / (is_product ? operations_of_step : 64), 1);
    if (step.op != Op::Mma && step.op != Op::MulAddAll && step.op != Op::MulAdd && step.op != Op::Fma)
        return; // of a product's sums, or of an index
    m_timeline->advance(warps, steps - 1);
    m_timeline->compute(warps, group.pc - 1, steps);
}

void Observer::note_products(const Group& group, std::uint64_t flops_of_warp) {
    const std::uint32_t warps = warp_bits(group.active);
    m_timeline->advance(warps, 1);
    for (int w = 0; w < m_warps; w += warps_of_group)
        if (warps >> w & 1)
            m_timeline->multiply(w, group.pc - 1, std::max<std::uint64_t>(flops_of_warp / operations_of_step, 1));
}

void Observer::note_warp_group(const Group& group, std::int32_t pending) {
    const std::uint32_t warps = warp_bits(group.active);
    for (int w = 0; w < m_warps; w += warps_of_group) {
        if (!(warps >> w & 1) || pending == artifact::wgmma_fence)
            continue;
        if (pending == artifact::wgmma_commit)
            m_timeline->commit_products(w);
        else
            m_timeline->await_products(w, group.pc - 1, pending);
    }
}

void Observer::note_phase(Group& group, const Step& step, const Mask& lanes) {
    const int lane = lanes.first(m_chunks);
    const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
    m_timeline->advance(warp_bits(lanes), 1);
    m_timeline->pass(m_block.mbarriers.at(group, m_block, pointer, lane, "waits at"), warp_bits(lanes), group.pc - 1,
                     m_block.mbarriers.name_of(pointer));
}

// The copy arrives at a barrier of a block of the cluster.
void Observer::note_box(const Group& group, Block& to, std::int64_t bytes, std::uint64_t barrier,
                        const Mbarrier& counts, int lane) {
    const int warp = lane / 32;
    if (&to == &m_block)
        m_timeline->copy_box(warp, group.pc - 1, bytes, m_block.mbarriers.name_of(barrier));
    if (to.timeline)
        to.timeline->arrive(counts, m_timeline->arrival(warp, group.pc - 1, true));
}

// All threads of the cluster are there.
void Observer::note_cluster() {
    Latest last;
    for (const Block* block : m_cluster)
        if (block->timeline)
            last.take(block->timeline->latest(Timeline::of_cluster));
    for (const Block* block : m_cluster)
        if (block->timeline)
            block->timeline->meet(Timeline::of_cluster, last);
}

} // namespace hidet::vm
