// SPDX-License-Identifier: Apache-2.0
// Products of warp groups, and what goes with them, are for four warps together, whenever each of them comes.
//
// Warps part where some of them wait, and those that need not wait go on. Who comes to an instruction of a warp group before the
// others of the four waits for them there; then all go on as one group. Who is not there once nobody can go on does not come.
#include <algorithm>

#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/checks/live.h"

namespace hidet::vm {

namespace {

const char* words_for(Op op) {
    return op == Op::Wgmma       ? "a product of a warp group"
           : op == Op::Registers ? "setmaxnreg"
                                 : "an instruction of a warp group";
}

bool is_of_warp_group(Op op) {
    return op == Op::Wgmma || op == Op::WarpGroup || op == Op::Registers;
}

} // namespace

// Those that run while others of their warp group do not.
Mask WarpGroups::warps_apart(const Group& group) const {
    Mask apart;
    for (int first = 0; first < m_warps; first += warps_of_group) {
        const int end = std::min(first + warps_of_group, m_warps);
        int there = 0;
        for (int w = first; w < end; ++w)
            there += group.active.warp(w) != 0;
        for (int w = first; there % warps_of_group && w < end; ++w)
            apart.set_warp(w, group.active.warp(w));
    }
    return apart;
}

// Of the warp group of the first of them, the first that is not there.
int WarpGroups::missing_warp(const Group& group, const Mask& apart) const {
    int w = apart.first(m_chunks) / 32 / warps_of_group * warps_of_group;
    while (w < m_warps && group.active.warp(w))
        ++w;
    return w;
}

const Group* WarpGroups::group_of_warp(int w) const {
    const auto found = std::ranges::find_if(m_groups, [w](const auto& each) { return each->alive.warp(w) != 0; });
    return w < m_warps && found != m_groups.end() ? found->get() : nullptr;
}

// What it may still read of what its threads share. Warps that came together again have the same in it, or they are in different
// turns of a loop.
bool WarpGroups::is_same_turn(const Group& group, const Group& other, std::uint32_t pc) {
    auto known = m_live_scalars.find(pc);
    if (known == m_live_scalars.end()) {
        const LiveRegisters live(m_function);
        for (std::uint32_t at = 0; at < m_function.code.size(); ++at)
            if (is_of_warp_group(m_function.code[at].op))
                m_live_scalars[at] = live.scalars(at);
        known = m_live_scalars.find(pc);
    }
    return std::ranges::all_of(known->second, [&](std::size_t r) { return group.u[r] == other.u[r]; });
}

void WarpGroups::join_waiting(Group& group, Group& other) {
    HIDET_CHECK(group.frames.size() == other.frames.size(), m_function.name);
    for (std::size_t f = 0; f < group.frames.size(); ++f) {
        int& ours = group.frames[f].split;
        const int theirs = other.frames[f].split;
        if (!ours)
            ours = theirs;
        for (const auto& each : m_groups) // what was two is one
            for (Frame& frame : each->frames)
                if (theirs && frame.split == theirs)
                    frame.split = ours;
    }
    group.undefined_u.insert(other.undefined_u.begin(), other.undefined_u.end());
    m_block.flow.merge_into(group, other);
    m_progress = true;
}

// False: the group waits for those that are not there, or for the first of them.
bool WarpGroups::gathers(Group& group, const Step& step) {
    const char* const what = words_for(step.op);
    m_block.barriers.check_complete_warps(group, what);
    Mask apart = warps_apart(group);
    if (!apart.any(m_chunks))
        return true;
    if (!group_of_warp(missing_warp(group, apart)))
        fail_apart(group, apart);
    m_block.flow.part_from_idle(group);
    const std::uint32_t pc = group.pc - 1;
    for (const auto& other : m_groups) {
        if (other.get() == &group || other->state != GroupState::AtWarpGroup || other->pc != pc)
            continue;
        const Mask waiting = warps_apart(*other);
        bool is_awaited = false;
        for (int w = 0; w < m_warps; ++w)
            is_awaited = is_awaited || (waiting.warp(w) && missing_of(apart, w));
        if (!is_awaited)
            continue;
        if (!is_same_turn(group, *other, pc))
            fail_apart(group, apart);
        join_waiting(group, *other);
    }
    apart = warps_apart(group);
    if (!apart.any(m_chunks))
        return true;
    m_progress = true;
    if (apart.equals(group.active, m_chunks)) {
        group.state = GroupState::AtWarpGroup;
        --group.pc;
        return false;
    }
    Group& waiting = m_block.flow.part(group, apart, pc);
    m_block.flow.set_active(waiting, apart);
    waiting.state = GroupState::AtWarpGroup;
    return true;
}

// Whether the warp is of a warp group some of whose warps these are.
bool WarpGroups::missing_of(const Mask& apart, int w) const {
    const int first = w / warps_of_group * warps_of_group;
    for (int other = first; other < std::min(first + warps_of_group, m_warps); ++other)
        if (apart.warp(other))
            return true;
    return false;
}

// Behind the instruction, whose warps do not come together.
void WarpGroups::fail_apart(Group& group, const Mask& apart) {
    const int lane = apart.first(m_chunks), missing = missing_warp(group, apart);
    const char* const what = words_for(m_function.code[group.pc - 1].op);
    Finding finding = finding_at(group, FindingKind::DivergentBarrier, lane, "reaches ", what, " that warp ", missing,
                                 " of the same warp group does not reach");
    const Group* other = group_of_warp(missing);
    if (other && other->state != GroupState::Ready && other->active.warp(missing)) {
        const std::uint32_t there = other->stands_at();
        finding.related.push_back({m_function.origins[there], cat("warp ", missing, " waits here")});
    }
    BlockParties::add_standing(m_block, finding.parties, &group);
    BlockParties::add_places(m_block, finding, Doing::Left);
    throw FindingError{std::move(finding)};
}

// What the block began with is shared by its warps: who wants more waits until others have given as much back.
void WarpGroups::change_registers(Group& group, const Step& step) {
    if (!gathers(group, step))
        return;
    m_warp_registers.resize(static_cast<std::size_t>(m_warps), {m_context.thread_registers, 0, false});
    for (int w : running_warps(group))
        m_warp_registers[static_cast<std::size_t>(w)] = {step.instr.c, group.pc - 1, step.instr.x == 1};
}

void WarpGroups::check_registers() {
    constexpr int warp_threads = 32;
    const std::int64_t has = std::int64_t{m_context.thread_registers} * warp_threads * m_warps;
    std::int64_t wants = 0;
    const WarpRegisters* last = nullptr;
    int lane = 0;
    for (const WarpRegisters& each : m_warp_registers) {
        wants += std::int64_t{each.count} * warp_threads;
        if (each.is_more)
            last = &each, lane = static_cast<int>(&each - m_warp_registers.data()) * warp_threads;
    }
    if (last && wants > has) {
        Finding finding = finding_of(last->pc, lane);
        finding.kind = FindingKind::Deadlock;
        finding.message = sentence(
            lane, "asks for ", last->count, " registers of each thread of a warp group, so that its warps have ", wants,
            " together, and a block of ", m_threads, " threads has ", has, " at most: it waits for ever");
        note(std::move(finding));
    }
    m_warp_registers.clear();
}

// Nobody can go on. Warps that stand elsewhere for others to come will not come here; those that wait for a barrier in memory may
// have come, were it not for that.
void WarpGroups::check_gathering() {
    for (const auto& group : m_groups) {
        if (group->state != GroupState::AtWarpGroup)
            continue;
        const Mask apart = warps_apart(*group);
        const Group* other = group_of_warp(missing_warp(*group, apart));
        const bool stands =
            other && (other->state == GroupState::AtCluster || other->state == GroupState::AtWarpGroup ||
                      (other->state == GroupState::AtBarrier && m_block.barriers.is_for_all(other->barrier)));
        if (other && !stands)
            continue;
        ++group->pc;
        fail_apart(*group, apart);
    }
}

} // namespace hidet::vm
