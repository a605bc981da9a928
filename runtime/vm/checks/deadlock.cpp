// SPDX-License-Identifier: Apache-2.0
// Threads that wait for what nobody will do any more.
#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"

namespace hidet::vm {

// "thread 0 and 31 others at barrier 1 (32 of 64 arrived);"
void BlockBarriers::add_waiting(std::string& text, std::vector<RelatedPlace>& places) const {
    for (const auto& group : m_groups) {
        if (group->state == GroupState::Finished)
            continue;
        const int lane = group->alive.first(m_chunks), others = group->alive.count(m_chunks) - 1;
        const std::string who =
            cat("thread ", lane, others ? cat(" and ", others, others == 1 ? " other" : " others") : "",
                m_cluster.size() > 1 ? cat(" of block ", m_rank) : "");
        text += " " + who;
        std::uint32_t pc = group->pc;
        switch (group->state) {
        case GroupState::AtBarrier: {
            const Barrier& barrier = m_barriers[group->barrier];
            const int expected = barrier.expected < 0 ? alive_threads() : barrier.expected;
            text += cat(" at barrier ", group->barrier, " (", barrier.arrived, " of ", expected, " arrived);");
            pc = group->barrier_pc;
            break;
        }
        case GroupState::AtCluster: text += " at the barrier of the cluster;", --pc; break;
        case GroupState::AtMbarrier: text += m_block.mbarriers.waiting_text(*group); break;
        case GroupState::AtMerge: text += " for the others behind a branch;"; break;
        case GroupState::AtWarpGroup: text += " for the others of the warp group;"; break;
        default: text += " in a loop;", --pc; break;
        }
        if (pc < m_function.origins.size())
            places.push_back({m_function.origins[pc], who + " waits here"});
    }
}

void Block::fail_waiting(std::int64_t outside, const std::string& others) {
    for (Block* block : m_cluster)
        block->warp_groups.check_gathering();
    std::string text = "waits for ever:";
    std::vector<RelatedPlace> places;
    barriers.add_waiting(text, places);
    for (const Block* block : m_cluster)
        if (block != this)
            block->barriers.add_waiting(text, places);
    text.pop_back();
    if (outside)
        text += cat("; the GPU holds ", m_context.resident_blocks, " blocks of it at a time, and ", outside,
                    outside == 1 ? " has" : " have", " no place before one of them ends");
    text += others;
    const auto first =
        std::ranges::find_if(m_groups, [](const auto& each) { return each->state != GroupState::Finished; });
    const int lane = (*first)->alive.first(m_chunks);
    Finding finding = finding_at(**first, FindingKind::Deadlock, lane, "", text);
    finding.origin = places.front().origin;
    places.erase(places.begin());
    finding.related = std::move(places);
    for (const Block* block : m_cluster)
        BlockParties::add_standing(*block, finding.parties, nullptr);
    BlockParties::add_places(*this, finding, Doing::Left);
    throw FindingError{std::move(finding)};
}

} // namespace hidet::vm
