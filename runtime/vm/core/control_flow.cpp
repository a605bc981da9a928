// SPDX-License-Identifier: Apache-2.0
// Which threads run: frames and groups.
#include <algorithm>

#include "lang/base/check.h"
#include "runtime/vm/checks/block_notes.h"

namespace hidet::vm {

void ControlFlow::set_active(Group& group, const Mask& mask) {
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

Mask ControlFlow::condition_mask(Group& group, const Step& step) {
    Mask mask;
    const std::byte* words = m_registers + step.a + static_cast<std::size_t>(group.lo) * chunk_lanes * 4;
    m_table.to_bits(words, mask.bits + group.lo, group.hi - group.lo);
    mask.keep(group.active, m_chunks);
    return mask;
}

void ControlFlow::open_if(Group& group, const Step& step) {
    Mask taken = condition_mask(group, step);
    Mask rest = group.active;
    rest.remove(taken, m_chunks);
    Frame frame;
    frame.saved = group.active;
    frame.other = rest;
    group.frames.push_back(frame);
    m_block.observer.count_branch(group, taken, rest);
    bool any_taken = taken.any(m_chunks), any_rest = rest.any(m_chunks);
    if (any_taken && any_rest && (step.flags & artifact::flag_may_block) && split(group, taken, rest, step))
        taken.keep(group.active, m_chunks);
    if (!any_taken) {
        set_active(group, {});
        group.pc = static_cast<std::uint32_t>(step.instr.x);
        return;
    }
    if (any_rest)
        set_active(group, taken);
}

void ControlFlow::other_side(Group& group, const Step& step) {
    Mask mask = group.frames.back().other;
    set_active(group, mask);
    if (!group.running)
        group.pc = static_cast<std::uint32_t>(step.instr.x);
}

// The frame's threads run again; groups that share it wait for each other, as far as that goes.
void ControlFlow::close_frame(Group& group, const Step& step) {
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

void ControlFlow::open_loop(Group& group) {
    Frame frame;
    frame.saved = group.active;
    group.frames.push_back(frame);
}

void ControlFlow::test_loop(Group& group, const Step& step) {
    Mask stay = condition_mask(group, step);
    Mask go = group.active;
    go.remove(stay, m_chunks);
    m_block.observer.count_branch(group, stay, go);
    bool any_stay = stay.any(m_chunks), any_go = go.any(m_chunks);
    if (any_stay && any_go && (step.flags & artifact::flag_may_block) && split(group, stay, go, step))
        stay.keep(group.active, m_chunks);
    if (any_go || !any_stay)
        set_active(group, stay);
    if (!any_stay)
        group.pc = static_cast<std::uint32_t>(step.instr.x);
}

void ControlFlow::next_turn(Group& group, const Step& step) {
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

void ControlFlow::leave(Group& group, const Step& step) {
    auto crossed = static_cast<std::size_t>(step.instr.c);
    std::size_t target = group.frames.size() - 1 - crossed;
    for (std::size_t f = target + 1; f < group.frames.size(); ++f)
        group.frames[f].remove(group.active, m_chunks);
    if (step.op == Op::Continue)
        group.frames[target].other.add(group.active, m_chunks);
    set_active(group, {});
    group.pc = static_cast<std::uint32_t>(step.instr.x);
}

void ControlFlow::exit_threads(Group& group, const Step& step) {
    note_exit(group.pc - 1, group.active);
    for (Frame& frame : group.frames)
        frame.remove(group.active, m_chunks);
    group.alive.remove(group.active, m_chunks);
    m_progress = true;
    if (!group.alive.any(m_chunks)) {
        finish(group);
        return;
    }
    set_active(group, {});
    group.pc = static_cast<std::uint32_t>(step.instr.x);
    for (int id = 0; id < 16; ++id)
        m_block.barriers.check_barrier(id);
    m_block.barriers.check_cluster();
}

void ControlFlow::finish(Group& group) {
    note_exit(BlockParties::at_end, group.alive);
    group.alive = {};
    group.active = {};
    group.running = 0;
    group.state = GroupState::Finished;
    m_progress = true;
    if (!alive_threads()) {
        if (m_order)
            m_block.races.check_end();
        BlockTiles::end(m_block);
    }
    for (int id = 0; id < 16; ++id)
        m_block.barriers.check_barrier(id);
    m_block.barriers.check_cluster();
}

// Warps none of whose threads stay become a group of their own, with the same open frames, and go on where the
// instruction sends them. False: there are none.
bool ControlFlow::split(Group& group, const Mask& stay, const Mask& go, const Step& step) {
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
Group& ControlFlow::part(Group& group, const Mask& leaving, std::uint32_t pc) {
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
    for (Frame& frame : other.frames)
        frame.keep(leaving, m_chunks);
    for (Frame& frame : group.frames)
        frame.remove(leaving, m_chunks);
    group.alive.remove(leaving, m_chunks);
    Mask active = group.active;
    active.remove(leaving, m_chunks);
    set_active(group, active);
    set_active(other, {});
    return other;
}

// Who waits does not keep warps that went another way before: those none of whose threads run go on without the others,
// at the end of what is open.
void ControlFlow::part_from_idle(Group& group) {
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
std::uint32_t ControlFlow::end_of_open(std::uint32_t pc) const {
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

int ControlFlow::split_parties(int split) const {
    int parties = 0;
    for (const auto& group : m_groups)
        if (group->state != GroupState::Finished)
            for (const Frame& frame : group->frames)
                parties += frame.split == split;
    return parties;
}

void ControlFlow::merge_into(Group& to, Group& from) {
    to.alive.add(from.alive, m_chunks);
    for (std::size_t f = 0; f < to.frames.size(); ++f)
        to.frames[f].add(from.frames[f].saved, from.frames[f].other, m_chunks);
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
Group* ControlFlow::ready_group() {
    std::vector<Group*> ready;
    for (const auto& group : m_groups)
        if (group->state == GroupState::Ready && !group->yielded)
            ready.push_back(group.get());
    if (ready.empty())
        return nullptr;
    return m_context.is_random || m_context.seed ? ready[chosen(ready.size())] : ready.front();
}

std::size_t ControlFlow::chosen(std::size_t count) {
    m_random = m_random * 6364136223846793005ull + 1442695040888963407ull;
    return (m_random >> 33) % count;
}

// When nobody can run, copies arrive. Groups that only wait for company at the end of a frame go on alone after that.
Group* ControlFlow::next_group() {
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

// As new, but for what it knows about accesses and the memory it holds.
void ControlFlow::clear(Group& group) const {
    auto sites = std::move(group.sites);
    std::vector<std::uint64_t> u = std::move(group.u), versions = std::move(group.versions);
    int number = group.number;
    group = Group{};
    group.number = number;
    group.sites = std::move(sites);
    group.sites.resize(m_function.accesses.size());
    group.u = std::move(u);
    group.u.assign(static_cast<std::size_t>(m_function.u_count) + 1, 0);
    group.versions = std::move(versions);
    group.versions.resize(static_cast<std::size_t>(m_function.v_count) + 2);
}

Group& ControlFlow::add_group() {
    if (m_spare_groups.empty()) {
        m_groups.push_back(std::make_unique<Group>());
    } else {
        m_groups.push_back(std::move(m_spare_groups.front()));
        m_spare_groups.pop_front();
    }
    Group& group = *m_groups.back();
    group.number = static_cast<int>(m_groups.size()) - 1;
    clear(group);
    return group;
}

Group& ControlFlow::fresh_group() {
    for (const auto& group : m_groups)
        if (group->state == GroupState::Finished) {
            clear(*group);
            return *group;
        }
    return add_group();
}

// The oldest copy arrives, or any. False: there is none.
bool ControlFlow::deliver() {
    if (!m_block.bulk.deliver_bulk() && !m_block.copies.finish_copies())
        return false;
    for (const auto& group : m_groups)
        group->yielded = false;
    return true;
}

// Of a block that begins. `forgets`: what sites know of addresses is gone.
void ControlFlow::begin(bool forgets) {
    m_splits = 0;
    m_exits.clear();
    m_random = m_context.seed * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(m_number);
    while (!m_groups.empty()) {
        m_spare_groups.push_back(std::move(m_groups.front()));
        m_groups.pop_front();
    }
    for (const auto& group : m_spare_groups)
        for (Site& site : group->sites)
            site.part = forgets ? nullptr : site.part;
    for (int first = 0; first < m_threads; first += m_context.group_lanes) {
        Group& group = add_group();
        Mask mask;
        for (int lane = first; lane < std::min(first + m_context.group_lanes, m_threads); ++lane)
            mask.set(lane);
        std::ranges::copy(m_context.args, group.u.begin());
        std::ranges::copy(m_function.constants, group.u.begin() + m_function.first_constant);
        for (std::uint64_t& version : group.versions)
            version = ++m_clock | fresh_bit;
        group.alive = mask;
        set_active(group, mask);
    }
}

// Of threads that end.
void ControlFlow::note_exit(std::uint32_t pc, const Mask& lanes) {
    if (lanes.any(m_chunks))
        m_exits.push_back({pc, lanes});
}

} // namespace hidet::vm
