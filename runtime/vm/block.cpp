// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/block.h"

#include <algorithm>

#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/debug/replay.h"

namespace hidet::vm {

namespace {

constexpr int check_interval = 512;           // instructions between looks at the budget
constexpr std::uint64_t steps_of_start = 256; // of the budget of a launch, which the start of a block takes

} // namespace

Block::Block(const LaunchContext& launch) : BlockState(launch), BlockView(*this, *this) {
    number_threads();
}

void Block::begin_launch() {
    statistics = {};
    thread_steps = 0;
    warp.begin_launch();
    globals.begin_launch();
}

void Block::join(const std::vector<Block*>& members, int own_rank, Order* own_order) {
    cluster = members;
    rank = own_rank;
    order = own_order;
    timeline = m_context.timelines ? m_context.timelines->begin(m_number) : nullptr;
    if (shadow)
        shadow->set_rank(rank);
    globals.join();
}

void Block::start(std::int64_t linear) {
    m_dispatched = 0;
    BlockState::start(linear);
    barriers.begin();
    init.begin();
    mbarriers.begin();
    globals.begin();
    races.begin();
    products.begin();
    matrix.begin();
    bulk.begin();
    copies.begin();
    flow.begin(memory.drop_old_parts());
    BlockTiles::begin(*this);
    ++statistics.blocks;
    stop_in_time(*m_groups.front()); // a block may be too short to be asked again
}

template <class Before>
void Block::run_group(Group& group, Before&& before_each) {
    const Step* steps = m_context.code->steps.data();
    std::uint64_t* u = group.u.data();
    const bool counts = m_counts;
    int until_check = check_interval;
    std::uint64_t dispatched = 0;
    const int began = group.running; // none are left of a group that ends
    while (group.state == GroupState::Ready && !group.yielded) {
        before_each();
        const Step& step = steps[group.pc++];
        ++dispatched;
        if (--until_check == 0) {
            dispatched = 0;
            until_check = check_interval;
            check_budget(group);
        }
        if (counts)
            observer.observe(group, step);
        if (step.is_vector) {
            run_vector(group, step);
        } else if (step.is_scalar) {
            if (step.is_tracked)
                init.track(group, step);
            if (step.divides && u[step.b] == 0)
                fail(group, FindingKind::DivisionByZero, group.active.first(m_chunks), divides_by_zero);
            step.scalar(u + step.dst, u + step.a, u + step.b, u + step.c);
        } else {
            execute(group, step);
        }
    }
    const std::uint64_t of_threads = dispatched * static_cast<std::uint64_t>(std::max(group.running, began));
    statistics.instructions += dispatched;
    statistics.thread_instructions += of_threads;
    thread_steps += of_threads;
}

BlockStatus Block::run() {
    m_progress = false;
    while (Group* group = flow.next_group())
        if (m_context.replay)
            run_group(*group, [&] { m_context.replay->before(*this, *group); });
        else
            run_group(*group, [] {});
    for (const auto& group : m_groups)
        if (group->state != GroupState::Finished) {
            for (const auto& other : m_groups)
                other->yielded = false;
            return BlockStatus::Waiting;
        }
    bulk.check_stores();
    return BlockStatus::Finished;
}

void Block::check_budget(Group& group) {
    count_more(group, check_interval);
    stop_in_time(group);
}

void Block::count_more(const Group& group, std::uint64_t instructions) {
    const std::uint64_t of_threads = instructions * static_cast<std::uint64_t>(group.running);
    m_dispatched += instructions;
    statistics.instructions += instructions;
    statistics.thread_instructions += of_threads;
    thread_steps += of_threads;
}

void Block::stop_in_time(Group& group) {
    if (m_context.cancelled && m_context.cancelled->load(std::memory_order_relaxed))
        fail(group, FindingKind::Cancelled, -1, "was cancelled");
    if (thread_steps > m_context.max_steps || m_dispatched > m_context.max_block_instructions)
        fail(group, FindingKind::StepBudget, group.active.first(m_chunks),
             "exceeded the step limit (--max-steps); is this loop infinite?");
    if (statistics.blocks > m_context.max_steps / steps_of_start)
        fail(
            group, FindingKind::StepBudget, -1,
            cat("exceeded the step limit with the number of its blocks, ", m_context.shape.blocks(), " (--max-steps)"));
}

void Block::run_vector(Group& group, const Step& step) {
    if (step.divides)
        check_divisor(group, step);
    if (step.is_tracked)
        init.track(group, step);
    VectorArgs args;
    std::size_t first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    args.lanes = (group.hi - group.lo) * chunk_lanes;
    args.a =
        step.a_bytes ? static_cast<const void*>(m_registers + step.a + first * step.a_bytes) : group.u.data() + step.a;
    args.b =
        step.b_bytes ? static_cast<const void*>(m_registers + step.b + first * step.b_bytes) : group.u.data() + step.b;
    args.c =
        step.c_bytes ? static_cast<const void*>(m_registers + step.c + first * step.c_bytes) : group.u.data() + step.c;
    std::byte* dst = m_registers + step.dst + first * step.dst_bytes;
    group.versions[static_cast<std::size_t>(step.dst_register)] =
        step.is_index ? computed_version(group, step) : ++m_clock | fresh_bit;
    add_flops(group, static_cast<std::uint64_t>(step.flops) * static_cast<std::uint64_t>(group.running));
    if ((step.flags & artifact::flag_blend) && !group.full) {
        args.dst = m_scratch;
        step.vector(args);
        m_table.blend(dst, m_scratch, mask_words(group) + first, args.lanes, step.dst_bytes);
        return;
    }
    args.dst = dst;
    step.vector(args);
}

// The sums of a MulAddAll get new contents.
void Block::change_sums(Group& group, const Step& step) {
    const artifact::Operands& row = operands_of(step);
    for (std::size_t i = 0; i < row.items.size(); i += 3)
        written(group, row.items[i]);
    add_flops(group, 2 * (row.items.size() / 3) * static_cast<std::uint64_t>(group.running));
}

void Block::muladd_all(Group& group, const Step& step) {
    const std::vector<std::uint32_t>& triples = m_context.code->triples[static_cast<std::size_t>(step.instr.x)];
    auto count = static_cast<int>(triples.size() / 3);
    std::size_t first = static_cast<std::size_t>(group.lo) * chunk_lanes * 4;
    int chunks = group.hi - group.lo;
    change_sums(group, step);
    if (!(step.flags & artifact::flag_blend) || group.full) {
        m_table.muladd_all(m_registers + first, triples.data(), count, chunks);
        return;
    }
    // One by one, so that threads that are switched off keep their sums.
    VectorFn muladd = m_table.find(Op::MulAdd, Scalar::F32, 0, 0);
    for (std::size_t t = 0; t < triples.size(); t += 3) {
        std::byte* sum = m_registers + triples[t] + first;
        VectorArgs args{.dst = m_scratch,
                        .a = m_registers + triples[t + 1] + first,
                        .b = m_registers + triples[t + 2] + first,
                        .c = sum,
                        .lanes = chunks * chunk_lanes};
        muladd(args);
        m_table.blend(sum, m_scratch, mask_words(group) + static_cast<std::size_t>(group.lo) * chunk_lanes, args.lanes,
                      4);
    }
}

std::uint64_t Block::computed_version(const Group& group, const Step& step) const {
    std::uint64_t hash =
        mix(step.hash, static_cast<std::uint64_t>(group.lo) << 8 | static_cast<std::uint64_t>(group.hi));
    std::uint64_t fresh = 0;
    auto add = [&](std::int32_t operand) {
        if (operand < 0)
            return;
        auto index = static_cast<std::size_t>(register_of(operand));
        std::uint64_t value = is_u(operand) ? group.u[index] : group.versions[index];
        fresh |= is_u(operand) ? 0 : value;
        hash = mix(hash, value);
    };
    add(step.instr.a);
    add(step.instr.b);
    add(step.instr.c);
    return (hash & ~fresh_bit) | (fresh & fresh_bit);
}

void Block::check_divisor(Group& group, const Step& step) {
    const bool is_wide = artifact::scalar_bytes(step.type) == 8;
    for (int lane : running(group))
        if (lane_bits(group, step.instr.b, lane, is_wide) == 0)
            fail(group, FindingKind::DivisionByZero, lane, divides_by_zero);
}

void Block::execute(Group& group, const Step& step) {
    const Instr& i = step.instr;
    if (step.is_tracked)
        init.track(group, step);
    switch (step.op) {
    case Op::Undefine: return;
    case Op::Jump: group.pc = static_cast<std::uint32_t>(i.x); return;
    case Op::JumpIf:
        if ((group.u[step.a] != 0) != ((i.flags & artifact::flag_negate) != 0))
            group.pc = static_cast<std::uint32_t>(i.x);
        return;
    case Op::If: return flow.open_if(group, step);
    case Op::Else: return flow.other_side(group, step);
    case Op::EndIf:
    case Op::LoopEnd:
    case Op::RegionEnd: return flow.close_frame(group, step);
    case Op::LoopBegin:
    case Op::RegionBegin: return flow.open_loop(group);
    case Op::LoopTest: return flow.test_loop(group, step);
    case Op::LoopNext: return flow.next_turn(group, step);
    case Op::Break:
    case Op::Continue:
    case Op::Leave: return flow.leave(group, step);
    case Op::Exit: return flow.exit_threads(group, step);
    case Op::Return: return flow.finish(group);
    case Op::MulAddAll: return muladd_all(group, step);
    case Op::Load:
        if (step.run >= 0 && !m_counts && memory.fused_loads(group, step))
            return;
        return memory.load(group, step);
    case Op::Store: return memory.store(group, step);
    case Op::Address: return memory.address(group, step);
    case Op::ThreadIdx:
    case Op::LaneIdx:
    case Op::Special: return special(group, step);
    case Op::Symbol: {
        auto it = m_context.symbols->find(string_at(i.x));
        if (it == m_context.symbols->end())
            fail(group, FindingKind::BadCall, -1, "needs the dimension '" + string_at(i.x) + "', which has no value");
        u_slot(group, i.dst) = static_cast<std::uint64_t>(it->second);
        return;
    }
    case Op::SharedPointer:
        u_slot(group, i.dst) = make_pointer(first_shared_id + static_cast<std::uint32_t>(i.x), 0);
        return;
    case Op::LocalPointer:
        u_slot(group, i.dst) = make_pointer(first_local_id + static_cast<std::uint32_t>(i.x), 0);
        return;
    case Op::GlobalPointer: u_slot(group, i.dst) = m_context.globals->at(static_cast<std::size_t>(i.x)); return;
    case Op::ToShared:
    case Op::FromShared: return memory.to_shared(group, step);
    case Op::PointsInto: return memory.check_space(group, step);
    case Op::WarpTile: return memory.check_tile(group, step);
    case Op::AtomicAdd:
    case Op::AtomicSub:
    case Op::AtomicMin:
    case Op::AtomicMax:
    case Op::AtomicExchange:
    case Op::AtomicCas:
    case Op::AtomicAnd:
    case Op::AtomicOr:
    case Op::AtomicXor:
    case Op::AtomicBits: return memory.atomic(group, step);
    case Op::Fence: return races.fence(group, step);
    case Op::Spin:
        if (++group.spins % 8 == 0) {
            group.yielded = true;
            flow.part_from_idle(group);
        }
        return;
    case Op::Barrier:
    case Op::BarrierArrive:
    case Op::BarrierReduce: return barriers.arrive(group, step);
    case Op::MapShared: return memory.map_shared(group, step);
    case Op::PeerAddress: return memory.map_peer(group, step);
    case Op::ClusterBarrier: return barriers.sync_cluster(group);
    case Op::MbarInit: return mbarriers.make_mbarrier(group, step);
    case Op::MbarEnd: return mbarriers.end_mbarrier(group, step);
    case Op::MbarArrive:
    case Op::MbarExpect:
    case Op::MbarComplete: return mbarriers.signal_mbarrier(group, step);
    case Op::MbarWait: return mbarriers.await_mbarrier(group, step);
    case Op::MbarTest: return mbarriers.test_mbarrier(group, step);
    case Op::SyncWarp: return warp.sync_warp(group, step);
    case Op::Shuffle: return warp.shuffle(group, step);
    case Op::Ballot:
    case Op::Any:
    case Op::All: return warp.vote(group, step);
    case Op::Elect: return warp.elect(group, step);
    case Op::MatchAny:
    case Op::MatchAll: return warp.match(group, step);
    case Op::Redux: return warp.combine_lanes(group, step);
    case Op::ActiveMask: return warp.active_mask(group, step);
    case Op::Clock: return warp.read_clock(group, step);
    case Op::CpAsync: return copies.issue_copy(group, step);
    case Op::CpCommit: return copies.commit_copies(group);
    case Op::CpArrive: return copies.arrive_with_copies(group, step);
    case Op::CpWait: return copies.wait_copies(group, step);
    case Op::TensorLoad:
    case Op::PixelLoad:
    case Op::TensorReduce:
    case Op::TensorStore: return bulk.copy_box(group, step);
    case Op::BulkLoad:
    case Op::BulkMove:
    case Op::BulkReduce:
    case Op::BulkStore: return bulk.copy_bytes(group, step);
    case Op::BulkPrefetch: return bulk.prefetch_bytes(group, step);
    case Op::BulkCommit: return bulk.commit_bulk(group);
    case Op::BulkWait: return bulk.await_bulk(group, step);
    case Op::LdMatrix: return matrix.load_matrix(group, step);
    case Op::StMatrix: return matrix.store_matrix(group, step);
    case Op::Mma: return matrix.multiply(group, step);
    case Op::Wgmma: return products.multiply_group(group, step);
    case Op::WarpGroup: return products.sync_products(group, step);
    case Op::Registers: return warp_groups.change_registers(group, step);
    case Op::Print: return warp.print(group, step);
    case Op::Assert: return warp.check_assert(group, step);
#define HIDET_VALUE_OP(Name, ...) case Op::Name:
#include "compiler/artifact/opcodes.def"
        break; // they have been computed
#define HIDET_HOST_OP(Name, ...) case Op::Name:
#include "compiler/artifact/opcodes.def"
        break; // of the host
    }
    internal_failure(__FILE__, __LINE__, "opcode in a kernel", artifact::info(step.op).name);
}

// ---- values that come from where a thread stands ---------------------------------------------------------------

namespace {

constexpr int lane_number = 3; // behind x, y and z

std::int32_t index_of(std::int64_t lane, int which, const LaunchShape::Extents& block) {
    const std::int64_t value = which == 0   ? lane % block[0]
                               : which == 1 ? lane / block[0] % block[1]
                               : which == 2 ? lane / block[0] / block[1]
                                            : lane;
    return static_cast<std::int32_t>(value);
}

} // namespace

void Block::number_threads() {
    for (int which = 0; which <= lane_number; ++which)
        for (int lane = 0; lane < m_lanes; ++lane)
            m_thread_indices.push_back(index_of(lane, which, m_context.shape.block));
}

void Block::special(Group& group, const Step& step) {
    const LaunchShape& shape = m_context.shape;
    if (step.op == Op::Special) {
        int which = step.instr.x;
        std::int64_t value = 0;
        if (which < 3)
            value = m_index[which];
        else if (which < 6)
            value = shape.block[static_cast<std::size_t>(which - 3)];
        else if (which < 9)
            value = shape.grid[static_cast<std::size_t>(which - 6)];
        else {
            const std::int64_t blocks = shape.cluster_blocks();
            value = which == 9    ? m_rank
                    : which == 10 ? blocks
                    : which == 11 ? blocks * shape.threads()
                    : which == 12 ? m_context.rank
                                  : m_context.rank_count();
        }
        u_slot(group, step.instr.dst) = static_cast<std::uint64_t>(value);
        return;
    }
    const int which = step.op == Op::ThreadIdx ? step.instr.x : lane_number;
    const auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    const int count = (group.hi - group.lo) * chunk_lanes;
    const std::int32_t* values = m_thread_indices.data() + static_cast<std::size_t>(which * m_lanes) + first;
    std::byte* dst = lanes(step.instr.dst) + first * sizeof *values;
    if ((step.flags & artifact::flag_blend) && !group.full) {
        std::memcpy(m_scratch, values, static_cast<std::size_t>(count) * sizeof *values);
        m_table.blend(dst, m_scratch, mask_words(group) + first, count, sizeof *values);
    } else {
        std::memcpy(dst, values, static_cast<std::size_t>(count) * sizeof *values);
    }
    std::uint64_t hash = mix(static_cast<std::uint64_t>(step.op) << 8 | static_cast<std::uint64_t>(step.instr.x),
                             static_cast<std::uint64_t>(group.lo) << 8 | static_cast<std::uint64_t>(group.hi));
    if (step.flags & artifact::flag_blend)
        written(group, step.instr.dst);
    else
        group.versions[static_cast<std::size_t>(step.instr.dst)] = hash & ~fresh_bit;
}

} // namespace hidet::vm
