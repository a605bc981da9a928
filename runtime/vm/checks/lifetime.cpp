// SPDX-License-Identifier: Apache-2.0
// What others do to the shared memory of a block, and copies to it, have to come behind its beginning and before its end, by
// something that orders them and not by luck. A block lives as long as one of its threads does, so it is enough that one thread that
// is there until the end knows.

#include "lang/base/text.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

void RaceChecker::note_remote(Group& group, Block& owner, Actor actor, int lane) {
    if (&owner == &m_block)
        return;
    const auto [use, is_first] = owner.races.m_remote_uses.try_emplace(actor);
    use->second = {.by = &m_block, .epoch = m_order->now(), .pc = group.pc - 1, .lane = lane};
    if (!is_first || m_order->knows_of(owner.rank, actor)) // what is known once stays so
        return;
    note(finding_at(group, FindingKind::InvalidPointer, lane, "uses the shared memory of block ", owner.rank,
                    " of its cluster, which may not have begun: cluster_sync() of both before it makes sure"));
}

void RaceChecker::note_owner(Group& group, const Shadow& shadow, Actor actor, int lane) {
    for (Block* block : m_cluster)
        if (block->shadow.get() == &shadow)
            note_remote(group, *block, actor, lane);
}

bool RaceChecker::is_known_at_end(Actor actor, Epoch epoch) const {
    Order::Pair pair;
    for (int lane = 0; lane < m_threads; ++lane)
        if (m_order->is_before(actor, epoch, m_order->thread_actor(m_rank, lane), false, pair))
            return true;
    return false;
}

void RaceChecker::check_end() {
    for (const auto& [actor, use] : m_remote_uses) {
        if (is_known_at_end(actor, use.epoch))
            continue;
        Finding finding = use.by->finding_of(use.pc, use.lane);
        finding.kind = FindingKind::InvalidPointer;
        finding.message = cat("kernel '", m_function.name, "' uses the shared memory of block ", m_rank,
                              " of its cluster, which may have ended: cluster_sync() of both behind it makes sure",
                              use.by->where(use.lane));
        note(std::move(finding));
    }
    m_remote_uses.clear();
    m_block.warp_groups.check_registers();
    check_loads();
}

// Copies that are still under way, and those that no thread has waited for.
void RaceChecker::check_loads() {
    const auto tell = [&](std::uint32_t pc) {
        Finding finding = finding_of(pc, 0);
        finding.kind = FindingKind::AsyncCopy;
        finding.message =
            sentence(-1, "copies to shared memory and the block ends without waiting for it; mbarrier_wait at its "
                         "barrier does");
        note(std::move(finding));
    };
    for (const BulkCopy& copy : m_block.bulk.loads())
        tell(copy.pc);
    for (const auto& [place, barrier] : m_block.mbarriers.all())
        if (barrier.copied && !is_known_at_end(barrier.unit, barrier.copied))
            tell(barrier.copy_pc);
}

} // namespace hidet::vm
