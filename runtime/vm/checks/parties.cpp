// SPDX-License-Identifier: Apache-2.0
// Who takes part in a finding beside the thread that it names: the other access, or where all threads stand.
#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"

namespace hidet::vm {

namespace {

constexpr std::size_t most_named = 3; // runs of threads in a sentence

ThreadRuns runs_of_lanes(const Mask& lanes, int warps) {
    ThreadRuns out;
    for_each_lane(lanes, warps, [&](int lane) {
        if (!out.empty() && out.back()[1] == lane - 1)
            out.back()[1] = lane;
        else
            out.push_back({lane, lane});
    });
    return out;
}

int count_of(const ThreadRuns& runs, std::size_t from = 0) {
    int count = 0;
    for (std::size_t i = from; i < runs.size(); ++i)
        count += runs[i][1] - runs[i][0] + 1;
    return count;
}

// The instructions that opened what is open before an instruction, from the inside out.
std::vector<std::uint32_t> opened_before(const Function& kernel, std::uint32_t pc) {
    std::vector<std::uint32_t> out;
    for (int inner = 0; pc-- > 0;)
        switch (kernel.code[pc].op) {
        case Op::EndIf:
        case Op::LoopEnd:
        case Op::RegionEnd: ++inner; break;
        case Op::If:
        case Op::LoopBegin:
        case Op::RegionBegin:
            if (inner == 0)
                out.push_back(pc);
            else
                --inner;
            break;
        default: break;
        }
    return out;
}

const char* words_of(Doing doing, bool is_one) {
    switch (doing) {
    case Doing::Waits: return is_one ? "waits" : "wait";
    case Doing::Away: return is_one ? "goes another way" : "go another way";
    case Doing::Left: return is_one ? "has ended" : "have ended";
    case Doing::Reads:
    case Doing::Writes:
    case Doing::Updates:
    case Doing::Arrives:
    case Doing::Runs: break;
    }
    return is_one ? "is" : "are";
}

} // namespace

const char* name_of(Doing doing) {
    switch (doing) {
    case Doing::Reads: return "reads";
    case Doing::Writes: return "writes";
    case Doing::Updates: return "updates";
    case Doing::Arrives: return "arrives";
    case Doing::Waits: return "waits";
    case Doing::Runs: return "runs";
    case Doing::Away: return "away";
    case Doing::Left: return "left";
    }
    return "runs";
}

// "threads 0 to 15, 32 and 7 others"
std::string threads_text(const ThreadRuns& runs) {
    if (runs.size() == 1 && runs[0][0] == runs[0][1])
        return cat("thread ", runs[0][0]);
    const std::size_t named = std::min(runs.size(), most_named);
    const int others = count_of(runs, named);
    std::string out = "threads ";
    for (std::size_t i = 0; i < named; ++i) {
        const bool is_last = i + 1 == named && others == 0;
        out += i == 0 ? "" : is_last ? " and " : ", ";
        out += runs[i][0] == runs[i][1] ? cat(runs[i][0]) : cat(runs[i][0], " to ", runs[i][1]);
    }
    return others ? cat(out, " and ", others, others == 1 ? " other" : " others") : out;
}

Party BlockParties::at(const Block& block, Doing doing, std::uint32_t pc, const Mask& lanes) {
    Party party;
    party.doing = doing;
    if (pc < block.function.origins.size())
        party.origin = block.function.origins[pc];
    party.block = {block.index[0], block.index[1], block.index[2]};
    party.threads = runs_of_lanes(lanes, block.warps);
    return party;
}

// ---- accesses --------------------------------------------------------------------------------------------------------

Doing BlockParties::doing_of(Purpose purpose) {
    return purpose == Purpose::Load ? Doing::Reads : purpose == Purpose::Store ? Doing::Writes : Doing::Updates;
}

Party BlockParties::access(const Block& block, Doing doing, std::uint32_t pc, int lane) {
    Party party = at(block, doing, pc, Mask::of(lane));
    const artifact::Instr& i = block.function.code[pc];
    const bool is_access = i.op == Op::Load || i.op == Op::Store || (i.op >= Op::AtomicAdd && i.op <= Op::AtomicBits);
    const std::int32_t name = is_access ? block.function.accesses[static_cast<std::size_t>(i.x)].name : -1;
    party.tensor = name_in(*block.context.program, name);
    return party;
}

Party BlockParties::first_access(const Block& block, const Conflict& conflict) {
    const Doing doing = conflict.clash == Clash::AfterRead     ? Doing::Reads
                        : conflict.clash == Clash::AfterUpdate ? Doing::Updates
                                                               : Doing::Writes;
    const auto rank = static_cast<std::size_t>(conflict.first / block.lane_count);
    return access(*block.cluster[rank], doing, conflict.first_pc, conflict.first % block.lane_count);
}

// The other one is of the same place.
void BlockParties::add_accesses(const Block& block, Finding& finding, const Group& group, int lane, Doing own,
                                Party other) {
    Party mine = access(block, own, group.pc - 1, lane);
    if (!finding.tensor.empty())
        mine.tensor = finding.tensor;
    mine.index = finding.index;
    if (!mine.tensor.empty() && mine.tensor == other.tensor)
        other.index = finding.index;
    finding.parties = {std::move(mine), std::move(other)};
}

// ---- barriers --------------------------------------------------------------------------------------------------------

// Threads that stand at one place with others are one party.
void BlockParties::add(const Block& block, std::vector<Party>& out, Party party) {
    if (party.threads.empty())
        return;
    const auto same = std::ranges::find_if(out, [&](const Party& each) {
        return each.doing == party.doing && each.block == party.block && each.origin.span == party.origin.span;
    });
    if (same == out.end()) {
        out.push_back(std::move(party));
        return;
    }
    Mask all;
    for (const ThreadRuns& runs : {same->threads, party.threads})
        for (const auto& [first, last] : runs)
            for (int lane = first; lane <= last; ++lane)
                all.set(lane);
    same->threads = runs_of_lanes(all, block.warps);
}

// Its threads that do not run now: each where it parted last from those that do.
void BlockParties::add_away(const Block& block, std::vector<Party>& out, const Group& group, std::uint32_t pc) {
    Mask rest = group.alive;
    rest.remove(group.active, block.chunks);
    const std::vector<std::uint32_t> opened = opened_before(block.function, pc);
    for (std::size_t i = 0; i < std::min(opened.size(), group.frames.size()) && rest.any(block.chunks); ++i) {
        const Frame& frame = group.frames[group.frames.size() - 1 - i];
        Mask here = frame.saved;
        here.add(frame.other, block.chunks);
        here.keep(rest, block.chunks);
        add(block, out, at(block, Doing::Away, opened[i], here));
        rest.remove(here, block.chunks);
    }
    add(block, out, at(block, Doing::Away, pc, rest));
}

void BlockParties::add_standing(const Block& block, std::vector<Party>& out, const Group* stopped) {
    if (stopped) {
        add(block, out, at(block, Doing::Arrives, stopped->pc - 1, stopped->active));
        add_away(block, out, *stopped, stopped->pc - 1);
    }
    for (const auto& group : block.groups) {
        if (group.get() == stopped || group->state == GroupState::Finished)
            continue;
        const std::uint32_t pc = group->stands_at();
        const Doing doing = group->state == GroupState::Ready ? Doing::Runs : Doing::Waits;
        add(block, out, at(block, doing, pc, group->active));
        add_away(block, out, *group, pc);
    }
    for (const ThreadsEnd& exit : block.flow.exits())
        add(block, out, at(block, Doing::Left, exit.pc, exit.lanes));
}

void BlockParties::add_places(const Block& block, Finding& finding, Doing doing) {
    for (const Party& party : finding.parties) {
        if (party.doing != doing)
            continue;
        std::string who = threads_text(party.threads);
        if (block.cluster.size() > 1)
            who += " of block " + tuple_text({party.block.begin(), party.block.end()}, '(', ')');
        const bool is_one = count_of(party.threads) == 1;
        finding.related.push_back(
            {party.origin, cat(who, " ", words_of(doing, is_one), party.origin.span.known() ? " here" : "")});
    }
}

} // namespace hidet::vm
