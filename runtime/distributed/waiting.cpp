// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/waiting.h"

#include "lang/base/text.h"
#include "runtime/distributed/pause.h"

namespace hidet::distributed {

bool Waiting::is_any_missing(const std::function<bool(int)>& is_missing) const {
    for (int rank = 0; rank < size(); ++rank)
        if (rank != m_rank && is_missing(rank))
            return true;
    return false;
}

Error Waiting::fail(const std::string& reason) const {
    m_segment->fail(reason);
    while (!m_segment->has_failed()) // somebody is just writing another reason
        std::this_thread::yield();
    return {"group", m_segment->head().reason};
}

// Counts of calls tell whether the other waits for what this process does not do; they only grow.
std::string Waiting::why_not(int rank, const std::string& call) const {
    const std::string waits = cat("rank ", m_rank, " waits for it in ", call);
    const Row& row = m_segment->row(rank);
    const Mail& from = m_segment->mail(rank, m_rank);
    const Mail& to = m_segment->mail(m_rank, rank);
    if (row.has_left.load(std::memory_order_acquire) != 0)
        return cat("rank ", rank, " has left the group: ", waits);
    if (!m_peers[static_cast<std::size_t>(rank)].is_alive())
        return cat("rank ", rank, " (process ", m_peers[static_cast<std::size_t>(rank)].process,
                   ") has ended: ", waits);
    if (from.sends.load() > from.receives.load())
        return cat("rank ", rank, " calls send to rank ", m_rank, ", and ", waits);
    if (to.receives.load() > to.sends.load())
        return cat("rank ", rank, " calls recv from rank ", m_rank, ", and ", waits);
    if (row.arrivals.load() > m_segment->row(m_rank).arrivals.load())
        return cat("rank ", rank, " calls ", row.call, ", and ", waits);
    return "";
}

Result<void> Waiting::wait(const std::function<bool(int)>& is_missing, const std::string& call) const {
    constexpr int tries = 200; // before it sleeps
    constexpr double seconds_between_looks = 0.1;
    for (int i = 0; i < tries; ++i)
        if (!is_any_missing(is_missing))
            return {};
    const Clock::time_point deadline = after(m_timeout);
    Clock::time_point next_look = after(seconds_between_looks);
    while (true) {
        const std::uint32_t bell = m_segment->head().bell.load(std::memory_order_acquire);
        if (!is_any_missing(is_missing))
            return {};
        if (m_segment->has_failed())
            return Error{"group", m_segment->head().reason};
        m_segment->wait_for_ring(bell);
        if (Clock::now() < next_look)
            continue;
        next_look = after(seconds_between_looks);
        for (int rank = 0; rank < size(); ++rank) {
            if (rank == m_rank || !is_missing(rank))
                continue;
            const std::string reason = why_not(rank, call);
            if (!reason.empty() && is_missing(rank)) // it may have come just before
                return fail(reason);
            if (Clock::now() >= deadline)
                return fail(cat("rank ", rank, " does not come: rank ", m_rank, " has waited for it in ", call, " for ",
                                m_timeout, " s"));
        }
    }
}

} // namespace hidet::distributed
