// SPDX-License-Identifier: Apache-2.0
// Which threads run: frames, groups, barriers.
#include <algorithm>

#include "lang/base/check.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::vm {

void Block::set_active(Group& group, const Mask& mask) {
    group.active = mask;
    group.lo = 0, group.hi = 0, group.running = 0;
    bool any = false;
    for (int c = 0; c < m_chunks; ++c) {
        if (!mask.bits[c])
            continue;
        if (!any)
            group.lo = c;
        any = true;
        group.hi = c + 1;
        group.running += __builtin_popcount(mask.bits[c]);
    }
    group.full = group.active.equals(group.alive, m_chunks);
    group.words_valid = false;
    std::uint64_t hash = 1;
    for (int c = 0; c < m_chunks; c += 2)
        hash = mix(hash, mask.warp(c / 2));
    group.mask_version = hash;
}

Mask Block::condition_mask(Group& group, const Step& step) {
    Mask mask;
    const std::byte* words = m_registers + step.a + static_cast<std::size_t>(group.lo) * chunk_lanes * 4;
    m_table.to_bits(words, mask.bits + group.lo, group.hi - group.lo);
    mask.keep(group.active, m_chunks);
    return mask;
}

void Block::open_if(Group& group, const Step& step) {
    Mask taken = condition_mask(group, step);
    Mask rest = group.active;
    rest.remove(taken, m_chunks);
    Frame frame;
    frame.saved = group.active;
    frame.other = rest;
    group.frames.push_back(frame);
    observer.count_branch(group, taken, rest);
    bool any_taken = taken.any(m_chunks), any_rest = rest.any(m_chunks);
    if (any_taken && any_rest && (step.flags & artifact::flag_may_block) && split(group, taken, rest, step))
        taken.keep(group.active, m_chunks);
    if (!any_taken) {
        Mask none;
        set_active(group, none);
        group.pc = static_cast<std::uint32_t>(step.instr.x);
        return;
    }
    if (any_rest)
        set_active(group, taken);
}

void Block::other_side(Group& group, const Step& step) {
    Mask mask = group.frames.back().other;
    set_active(group, mask);
    if (!group.running)
        group.pc = static_cast<std::uint32_t>(step.instr.x);
}

// The frame's threads run again; groups that share it wait for each other, as far as that goes.
void Block::close_frame(Group& group, const Step& step) {
    Frame& frame = group.frames.back();
    if (frame.split && split_parties(frame.split) > 1 && group.state == GroupState::Ready && group.barrier != -2) {
        for (const auto& other : m_groups)
            if (other.get() != &group && other->state == GroupState::AtMerge && other->pc == group.pc - 1 &&
                other->frames.back().split == frame.split) {
                merge_into(group, *other);
                --group.pc;
                return;
            }
        group.state = GroupState::AtMerge;
        --group.pc;
        return;
    }
    if (group.barrier == -2)
        group.barrier = -1;
    Mask mask = frame.saved;
    group.frames.pop_back();
    if (!group.full || !mask.equals(group.active, m_chunks))
        set_active(group, mask);
    if (!group.running)
        group.pc = static_cast<std::uint32_t>(step.instr.x);
}

void Block::open_loop(Group& group) {
    Frame frame;
    frame.saved = group.active;
    group.frames.push_back(frame);
}

void Block::test_loop(Group& group, const Step& step) {
    Mask stay = condition_mask(group, step);
    Mask go = group.active;
    go.remove(stay, m_chunks);
    observer.count_branch(group, stay, go);
    bool any_stay = stay.any(m_chunks), any_go = go.any(m_chunks);
    if (any_stay && any_go && (step.flags & artifact::flag_may_block) && split(group, stay, go, step))
        stay.keep(group.active, m_chunks);
    if (any_go || !any_stay)
        set_active(group, stay);
    if (!any_stay)
        group.pc = static_cast<std::uint32_t>(step.instr.x);
}

void Block::next_turn(Group& group, const Step& step) {
    Frame& frame = group.frames.back();
    if (frame.other.any(m_chunks)) {
        Mask mask = group.active;
        mask.add(frame.other, m_chunks);
        frame.other = {};
        set_active(group, mask);
    }
    if (group.running)
        group.pc = static_cast<std::uint32_t>(step.instr.x);
}

void Block::leave(Group& group, const Step& step) {
    auto crossed = static_cast<std::size_t>(step.instr.c);
    std::size_t target = group.frames.size() - 1 - crossed;
    for (std::size_t f = target + 1; f < group.frames.size(); ++f) {
        group.frames[f].saved.remove(group.active, m_chunks);
        group.frames[f].other.remove(group.active, m_chunks);
    }
    if (step.op == Op::Continue)
        group.frames[target].other.add(group.active, m_chunks);
    Mask none;
    set_active(group, none);
    group.pc = static_cast<std::uint32_t>(step.instr.x);
}

void Block::exit_threads(Group& group, const Step& step) {
    BlockParties::note_exit(*this, group.pc - 1, group.active);
    for (Frame& frame : group.frames) {
        frame.saved.remove(group.active, m_chunks);
        frame.other.remove(group.active, m_chunks);
    }
    group.alive.remove(group.active, m_chunks);
    m_progress = true;
    if (!group.alive.any(m_chunks)) {
        finish(group);
        return;
    }
    Mask none;
    set_active(group, none);
    group.pc = static_cast<std::uint32_t>(step.instr.x);
    for (int id = 0; id < 16; ++id)
        check_barrier(id);
    check_cluster();
}

void Block::finish(Group& group) {
    BlockParties::note_exit(*this, BlockParties::at_end, group.alive);
    group.alive = {};
    group.active = {};
    group.running = 0;
    group.state = GroupState::Finished;
    m_progress = true;
    if (!alive_threads()) {
        if (m_order)
            races.check_end();
        BlockTiles::end(*this);
    }
    for (int id = 0; id < 16; ++id)
        check_barrier(id);
    check_cluster();
}

// Warps none of whose threads stay become a group of their own, with the same open frames, and go on where the
// instruction sends them. False: there are none.
bool Block::split(Group& group, const Mask& stay, const Mask& go, const Step& step) {
    Mask leaving;
    bool any_leaving = false, any_kept = false;
    for (int w = 0; w < m_warps; ++w) {
        if (!group.alive.warp(w))
            continue;
        if (!stay.warp(w) && go.warp(w)) {
            leaving.set_warp(w, group.alive.warp(w));
            any_leaving = true;
        } else {
            any_kept = true;
        }
    }
    if (!any_leaving || !any_kept)
        return false;
    part(group, leaving, static_cast<std::uint32_t>(step.instr.x));
    return true;
}

// The warps that leave become a group of their own, with the same open frames and nobody who runs yet.
Group& Block::part(Group& group, const Mask& leaving, std::uint32_t pc) {
    // Every open frame is shared now: its parts find each other again where it is closed.
    for (Frame& frame : group.frames)
        if (!frame.split)
            frame.split = ++m_splits;
    Group& other = fresh_group();
    other.alive = leaving;
    other.pc = pc;
    other.u = group.u;
    other.versions = group.versions;
    other.undefined_u = group.undefined_u;
    other.frames = group.frames;
    for (Frame& frame : other.frames) {
        frame.saved.keep(leaving, m_chunks);
        frame.other.keep(leaving, m_chunks);
    }
    for (Frame& frame : group.frames) {
        frame.saved.remove(leaving, m_chunks);
        frame.other.remove(leaving, m_chunks);
    }
    group.alive.remove(leaving, m_chunks);
    Mask active = group.active;
    active.remove(leaving, m_chunks);
    set_active(group, active);
    Mask none;
    set_active(other, none);
    return other;
}

// Who waits does not keep warps that went another way before: those none of whose threads run go on without the others,
// at the end of what is open.
void Block::part_from_idle(Group& group) {
    if (group.full || group.frames.empty())
        return;
    Mask leaving;
    bool any_leaving = false;
    for (int w = 0; w < m_warps; ++w) {
        if (group.active.warp(w) || !group.alive.warp(w))
            continue;
        leaving.set_warp(w, group.alive.warp(w));
        any_leaving = true;
    }
    if (any_leaving)
        part(group, leaving, end_of_open(group.pc));
}

// The instruction that ends this side of an If, this turn of a loop, or a region.
std::uint32_t Block::end_of_open(std::uint32_t pc) const {
    for (int inner = 0;; ++pc) {
        switch (m_function.code[pc].op) {
        case Op::If:
        case Op::LoopBegin:
        case Op::RegionBegin: ++inner; break;
        case Op::Else:
        case Op::LoopNext:
            if (inner == 0)
                return pc;
            break;
        case Op::EndIf:
        case Op::LoopEnd:
        case Op::RegionEnd:
            if (inner == 0)
                return pc;
            --inner;
            break;
        default: break;
        }
    }
}

int Block::split_parties(int split) const {
    int parties = 0;
    for (const auto& group : m_groups)
        if (group->state != GroupState::Finished)
            for (const Frame& frame : group->frames)
                parties += frame.split == split;
    return parties;
}

void Block::merge_into(Group& to, Group& from) {
    to.alive.add(from.alive, m_chunks);
    for (std::size_t f = 0; f < to.frames.size(); ++f) {
        to.frames[f].saved.add(from.frames[f].saved, m_chunks);
        to.frames[f].other.add(from.frames[f].other, m_chunks);
    }
    for (std::size_t r = 0; r < to.versions.size(); ++r)
        if (to.versions[r] != from.versions[r])
            to.versions[r] = ++m_clock | fresh_bit;
    Mask active = to.active;
    active.add(from.active, m_chunks);
    set_active(to, active);
    from.alive = {};
    from.active = {};
    from.frames.clear();
    from.running = 0;
    from.state = GroupState::Finished;
}

// Ready groups in the order of their numbers, or in a random one.
Group* Block::ready_group() {
    std::vector<Group*> ready;
    for (const auto& group : m_groups)
        if (group->state == GroupState::Ready && !group->yielded)
            ready.push_back(group.get());
    if (ready.empty())
        return nullptr;
    return m_context.is_random || m_context.seed ? ready[chosen(ready.size())] : ready.front();
}

std::size_t Block::chosen(std::size_t count) {
    m_random = m_random * 6364136223846793005ull + 1442695040888963407ull;
    return (m_random >> 33) % count;
}

// When nobody can run, copies arrive. Groups that only wait for company at the end of a frame go on alone after that.
Group* Block::next_group() {
    if (m_context.is_random && chosen(4) == 0)
        deliver(); // earlier than it has to
    do {
        if (Group* group = ready_group())
            return group;
    } while (deliver());
    for (const auto& group : m_groups)
        if (group->state == GroupState::AtMerge) {
            group->state = GroupState::Ready;
            group->barrier = -2; // close the frame alone
            return group.get();
        }
    return nullptr;
}

// A warp has to come with all of its threads that did not end, or with none.
void Block::check_whole_warps(Group& group, const char* what) {
    for (int w = 0; !group.full && w < m_warps; ++w) {
        const std::uint32_t here = group.active.warp(w), missing = group.alive.warp(w) & ~here;
        if (!here || !missing)
            continue;
        int lane = 32 * w + __builtin_ctz(missing);
        int some = 32 * w + __builtin_ctz(here);
        Finding finding = finding_at(group, some);
        finding.kind = FindingKind::DivergentBarrier;
        finding.message = cat("kernel '", m_function.name, "' reaches ", what, " that thread ", lane,
                              " of the same warp does not reach: threads part ways before it", where(some));
        BlockParties::add_standing(*this, finding.parties, &group);
        BlockParties::add_places(*this, finding, Doing::Away);
        throw FindingError{std::move(finding)};
    }
}

// What takes all 32 threads of a warp.
void Block::check_complete_warps(Group& group, const char* what) {
    check_whole_warps(group, what);
    for (int w = 0; w < m_warps; ++w)
        if (const std::uint32_t here = group.active.warp(w); here && ~here)
            fail(group, FindingKind::InactiveLane, 32 * w + __builtin_ctz(here),
                 cat("uses ", what, ", which is for 32 threads of a warp together, in a warp of ",
                     __builtin_popcount(here)));
}

void Block::arrive(Group& group, const Step& step) {
    check_whole_warps(group, "a barrier");
    part_from_idle(group);
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
        for (int l = 0; l < m_lanes; ++l)
            if (group.active.test(l)) {
                bool on = lane_value<std::uint32_t>(group, i.a, l) != 0;
                barrier.count += on;
                barrier.all &= on;
                barrier.any |= on;
            }
    m_progress = true;
    if (m_order && expected >= 0) {
        barrier.arrivals.push_back({races.who(group), m_order->now(), group.pc - 1});
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
void Block::check_meeting(Group& group, int id, const Barrier& barrier) {
    const Origin &here = m_function.origins[group.pc - 1], &there = m_function.origins[barrier.pc];
    if (!barrier.arrived || here.span == there.span)
        return;
    const auto other = std::ranges::find_if(
        m_groups, [&](const auto& each) { return each->state == GroupState::AtBarrier && each->barrier == id; });
    if (other == m_groups.end())
        return;
    const int lane = group.active.first(m_chunks), waiting = (*other)->active.first(m_chunks);
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::DivergentBarrier;
    finding.message = cat("kernel '", m_function.name, "' reaches a barrier of the block while ",
                          actor_text(m_order->thread_actor(m_rank, waiting)),
                          " waits at another one: all threads have to wait at the same", where(lane));
    finding.related.push_back({there, "waits here"});
    BlockParties::add_standing(*this, finding.parties, &group);
    note(std::move(finding));
}

// A barrier with a count cannot tell turns from each other, nor who is meant: those that count at the next turn have to
// come after all that counted at the one before.
void Block::check_turn(Group& group, int id, std::int64_t expected) {
    Barrier& barrier = m_barriers[id];
    int coming = 0;
    for (int w = 0; w < m_warps; ++w)
        coming += group.active.warp(w) ? 32 : 0;
    const int lane = group.active.first(m_chunks);
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::BarrierMisuse;
    if (barrier.arrived + coming > expected) {
        finding.message =
            cat("kernel '", m_function.name, "' arrives at barrier ", id, " with ", barrier.arrived + coming,
                " threads, which waits for ", expected, ": who meets whom is left to chance", where(lane));
        note(std::move(finding));
        return;
    }
    for (const Arrival& before : barrier.arrivals) {
        Mask both = m_order->lanes_of(before.who);
        both.keep(group.active, m_chunks);
        if (!both.any(m_chunks))
            continue;
        finding.message = cat("kernel '", m_function.name, "' arrives at barrier ", id,
                              " a second time before the others did: who meets whom is left to chance", where(lane));
        finding.related.push_back({m_function.origins[before.pc], "arrives here first"});
        note(std::move(finding));
        return;
    }
    Order::Pair pair;
    for (const Arrival& before : barrier.last)
        if (!m_order->is_before(before.who, before.epoch, races.who(group), false, pair)) {
            finding.message = cat("kernel '", m_function.name, "' arrives at barrier ", id,
                                  " for its next turn, and nothing orders it behind ", actor_text(pair.first),
                                  ", which arrived for the last one: another barrier of both, or one for each pair,",
                                  " makes sure who meets whom", where(lane));
            finding.related.push_back(
                {m_function.origins[before.pc], cat("arrives here, by ", actor_text(pair.first))});
            note(std::move(finding));
            return;
        }
}

// All threads of a block release, those that ended too; at a barrier with a count those that arrived.
void Block::order_barrier(int id, Barrier& done) {
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

void Block::check_barrier(int id) {
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

} // namespace hidet::vm
