// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/core/block_barriers.h"

#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::vm {

// A warp has to come with all of its threads that did not end, or with none.
void BlockBarriers::check_whole_warps(Group& group, const char* what) {
    for (int w = 0; !group.full && w < m_warps; ++w) {
        const std::uint32_t here = group.active.warp(w), missing = group.alive.warp(w) & ~here;
        if (!here || !missing)
            continue;
        int lane = 32 * w + __builtin_ctz(missing);
        int some = 32 * w + __builtin_ctz(here);
        Finding finding = finding_at(group, FindingKind::DivergentBarrier, some, "reaches ", what, " that thread ",
                                     lane, " of the same warp does not reach: threads part ways before it");
        BlockParties::add_standing(m_block, finding.parties, &group);
        BlockParties::add_places(m_block, finding, Doing::Away);
        throw FindingError{std::move(finding)};
    }
}

// What takes all 32 threads of a warp.
void BlockBarriers::check_complete_warps(Group& group, const char* what) {
    check_whole_warps(group, what);
    for (int w = 0; w < m_warps; ++w)
        if (const std::uint32_t here = group.active.warp(w); here && ~here)
            fail(group, FindingKind::InactiveLane, 32 * w + __builtin_ctz(here),
                 cat("uses ", what, ", which is for 32 threads of a warp together, in a warp of ",
                     __builtin_popcount(here)));
}

void BlockBarriers::arrive(Group& group, const Step& step) {
    check_whole_warps(group, "a barrier");
    m_block.flow.part_from_idle(group);
    const Instr& i = step.instr;
    bool reduce = step.op == Op::BarrierReduce;
    auto id = i.a < 0 || reduce ? std::int64_t{0} : static_cast<std::int64_t>(u_slot(group, i.a));
    int lane = group.active.first(m_chunks);
    if (id < 0 || id > 15)
        fail(group, FindingKind::DivergentBarrier, lane,
             "uses barrier " + std::to_string(id) + "; there are barriers 0 to 15");
    Barrier& barrier = m_barriers[id];
    std::int64_t expected = i.b < 0 || reduce ? -1 : static_cast<std::int64_t>(u_slot(group, i.b));
    if (expected >= 0 && (expected == 0 || expected % 32 != 0))
        fail(group, FindingKind::DivergentBarrier, lane,
             "waits for " + std::to_string(expected) + " threads at a barrier; the count must be a multiple of 32");
    if (barrier.arrived && barrier.expected != expected) {
        fail(group, FindingKind::DivergentBarrier, lane,
             "waits at barrier " + std::to_string(id) + " for another number of threads than those that wait there");
    }
    if (m_order && expected < 0)
        check_meeting(group, static_cast<int>(id), barrier);
    if (m_order && expected >= 0)
        check_turn(group, static_cast<int>(id), expected);
    if (!barrier.arrived)
        barrier.pc = group.pc - 1;
    barrier.expected = static_cast<int>(expected);
    // A warp counts as its 32 threads, ended ones included, where a count is given.
    if (expected >= 0) {
        for (int w = 0; w < m_warps; ++w)
            barrier.arrived += group.active.warp(w) ? 32 : 0;
    } else {
        barrier.arrived += group.running;
    }
    if (reduce)
        for (int l : running(group)) {
            bool on = lane_value<std::uint32_t>(group, i.a, l) != 0;
            barrier.count += on;
            barrier.all &= on;
            barrier.any |= on;
        }
    m_progress = true;
    if (m_order && expected >= 0) {
        barrier.arrivals.push_back({m_block.races.who(group), m_order->now(), group.pc - 1});
        barrier.clock.join(m_order->release(m_rank, group.active, alive_lanes()));
        m_order->step();
    }
    if (step.op != Op::BarrierArrive) {
        group.state = GroupState::AtBarrier;
        group.barrier = static_cast<int>(id);
        group.barrier_pc = group.pc - 1;
    }
    check_barrier(static_cast<int>(id));
}

// The condition of a barrier of the whole block has to be the same in all of its threads: those that meet stand at one.
void BlockBarriers::check_meeting(Group& group, int id, const Barrier& barrier) {
    const Origin &here = m_function.origins[group.pc - 1], &there = m_function.origins[barrier.pc];
    if (!barrier.arrived || here.span == there.span)
        return;
    const auto other = std::ranges::find_if(
        m_groups, [&](const auto& each) { return each->state == GroupState::AtBarrier && each->barrier == id; });
    if (other == m_groups.end())
        return;
    const int lane = group.active.first(m_chunks), waiting = (*other)->active.first(m_chunks);
    Finding finding = finding_at(group, FindingKind::DivergentBarrier, lane, "reaches a barrier of the block while ",
                                 actor_text(m_order->thread_actor(m_rank, waiting)),
                                 " waits at another one: all threads have to wait at the same");
    finding.related.push_back({there, "waits here"});
    BlockParties::add_standing(m_block, finding.parties, &group);
    note(std::move(finding));
}

// A barrier with a count cannot tell turns from each other, nor who is meant: those that count at the next turn have to
// come after all that counted at the one before.
void BlockBarriers::check_turn(Group& group, int id, std::int64_t expected) {
    Barrier& barrier = m_barriers[id];
    int coming = 0;
    for (int w = 0; w < m_warps; ++w)
        coming += group.active.warp(w) ? 32 : 0;
    const int lane = group.active.first(m_chunks);
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::BarrierMisuse;
    if (barrier.arrived + coming > expected) {
        finding.message = sentence(lane, "arrives at barrier ", id, " with ", barrier.arrived + coming,
                                   " threads, which waits for ", expected, ": who meets whom is left to chance");
        note(std::move(finding));
        return;
    }
    for (const Arrival& before : barrier.arrivals) {
        Mask both = m_order->lanes_of(before.who);
        both.keep(group.active, m_chunks);
        if (!both.any(m_chunks))
            continue;
        finding.message = sentence(lane, "arrives at barrier ", id,
                                   " a second time before the others did: who meets whom is left to chance");
        finding.related.push_back({m_function.origins[before.pc], "arrives here first"});
        note(std::move(finding));
        return;
    }
    Order::Pair pair;
    for (const Arrival& before : barrier.last)
        if (!m_order->is_before(before.who, before.epoch, m_block.races.who(group), false, pair)) {
            finding.message =
                sentence(lane, "arrives at barrier ", id, " for its next turn, and nothing orders it behind ",
                         actor_text(pair.first),
                         ", which arrived for the last one: another barrier of both, or one for each pair,",
                         " makes sure who meets whom");
            finding.related.push_back(
                {m_function.origins[before.pc], cat("arrives here, by ", actor_text(pair.first))});
            note(std::move(finding));
            return;
        }
}

// All threads of a block release, those that ended too; at a barrier with a count those that arrived.
void BlockBarriers::order_barrier(int id, Barrier& done) {
    if (done.expected < 0) {
        return m_order->sync_block(m_rank, all_lanes(), alive_lanes());
    }
    Mask waiting;
    for (const auto& group : m_groups)
        if (group->state == GroupState::AtBarrier && group->barrier == id)
            waiting.add(group->active, m_chunks);
    if (waiting.any(m_chunks))
        m_order->acquire(m_rank, waiting, done.clock);
}

void BlockBarriers::check_barrier(int id) {
    Barrier& barrier = m_barriers[id];
    if (!barrier.arrived)
        return;
    int expected = barrier.expected < 0 ? alive_threads() : barrier.expected;
    if (barrier.arrived < expected)
        return;
    Barrier done = std::move(barrier);
    barrier = {};
    barrier.last = std::move(done.arrivals);
    if (m_order)
        order_barrier(id, done);
    if (m_timeline)
        m_timeline->meet(id, m_timeline->latest(id));
    for (const auto& group : m_groups) {
        if (group->state != GroupState::AtBarrier || group->barrier != id)
            continue;
        const Instr& i = m_context.code->steps[group->barrier_pc].instr;
        if (i.op == Op::BarrierReduce)
            u_slot(*group, i.dst) = static_cast<std::uint64_t>(i.x == 0 ? done.count : i.x == 1 ? done.all : done.any);
        group->state = GroupState::Ready;
        group->barrier = -1;
    }
}

void BlockBarriers::sync_cluster(Group& group) {
    check_whole_warps(group, "a barrier of the cluster");
    m_block.flow.part_from_idle(group);
    group.state = GroupState::AtCluster;
    m_progress = true;
    check_cluster();
}

// All threads of all blocks that have not ended are there.
void BlockBarriers::check_cluster() {
    for (const Block* block : m_cluster)
        for (const auto& group : block->groups)
            if (group->state != GroupState::AtCluster && group->state != GroupState::Finished)
                return;
    const auto waits = [](const Block* block) {
        return std::ranges::any_of(block->groups,
                                   [](const auto& group) { return group->state == GroupState::AtCluster; });
    };
    if (std::ranges::none_of(m_cluster, waits))
        return;
    if (m_timeline)
        m_block.observer.note_cluster();
    if (m_order) {
        Clock all;
        for (const Block* block : m_cluster)
            all.join(m_order->release(block->rank, block->all_lanes(), block->alive_lanes()));
        for (const Block* block : m_cluster)
            m_order->acquire(block->rank, block->all_lanes(), all);
        m_order->step();
    }
    for (Block* block : m_cluster)
        for (const auto& group : block->groups)
            if (group->state == GroupState::AtCluster) {
                group->state = GroupState::Ready;
                block->progress = true;
            }
}

} // namespace hidet::vm
