// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/waiting.h"

#include <optional>

#include "lang/base/text.h"
#include "runtime/distributed/pause.h"

namespace hidet::distributed {

static constexpr double seconds_between_looks = 0.1; // at the others

static int in_whole(const std::vector<int>& ranks, int rank) {
    return ranks.empty() ? rank : ranks[static_cast<std::size_t>(rank)];
}

std::string name_in(const std::vector<int>& ranks, int rank) {
    return cat("rank ", in_whole(ranks, rank));
}

bool Waiting::is_any_missing(const std::function<bool(int)>& is_missing) const {
    for (int rank = 0; rank < size(); ++rank)
        if (rank != m_rank && is_missing(rank))
            return true;
    return false;
}

Error Waiting::fail(const std::string& reason) const {
    return {"group", m_segment->fail(m_rank, m_whole ? m_whole->fail(in_whole(m_ranks, m_rank), reason) : reason)};
}

std::string Waiting::gone(int rank) const {
    const Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    if (m_segment->row(rank).has_left.load(std::memory_order_acquire) != 0)
        return cat(name_of(rank), " has left the group");
    return peer.is_alive() ? "" : cat(name_of(rank), " (process ", peer.process, ") has ended");
}

std::string Waiting::gone() const {
    for (int rank = 0; rank < size(); ++rank)
        if (std::string who = rank == m_rank ? "" : gone(rank); !who.empty())
            return who;
    return "";
}

std::string Waiting::why_gone(int rank, const std::string& waits) const {
    const std::string who = gone(rank);
    return who.empty() ? "" : cat(who, ": ", waits);
}

std::string Waiting::why_gone(const std::string& call) const {
    for (int rank = 0; rank < size(); ++rank)
        if (std::string why = why_gone(rank, cat(name_of(m_rank), " waits for it in ", call)); !why.empty())
            return why;
    return "";
}

// Counts of calls tell whether the other waits for what this process does not do; they only grow.
std::string Waiting::why_not(int rank, const std::string& call) const {
    const std::string waits = cat(name_of(m_rank), " waits for it in ", call);
    const Row& row = m_segment->row(rank);
    if (std::string why = why_gone(rank, waits); !why.empty())
        return why;
    const Mail& from = m_segment->mail(rank, m_rank);
    const Mail& to = m_segment->mail(m_rank, rank);
    if (from.sends.load() > from.receives.load())
        return cat(name_of(rank), " calls send to ", name_of(m_rank), ", and ", waits);
    if (to.receives.load() > to.sends.load())
        return cat(name_of(rank), " calls recv from ", name_of(m_rank), ", and ", waits);
    if (row.arrivals.load() > m_segment->row(m_rank).arrivals.load())
        return cat(name_of(rank), " calls ", row.call_at(row.arrivals.load()), ", and ", waits);
    return "";
}

// The others need not wait for who has been interrupted.
bool Waiting::is_cancelled(const std::string& call) const {
    const auto interrupted = [&] { fail(cat(name_of(m_rank), " was interrupted in ", call)); };
    try {
        if (!m_patience.is_at_end())
            return false;
    } catch (...) {
        interrupted();
        throw;
    }
    interrupted();
    return true;
}

Result<void> Waiting::wait(const std::function<bool(int)>& is_missing, const std::string& call) const {
    // Who sleeps is woken 50 us later, which is what a small exchange takes in all.
    const Clock::time_point sleep = after(50e-6);
    do
        if (!is_any_missing(is_missing))
            return {};
    while (Clock::now() < sleep);
    const Clock::time_point deadline = after(m_patience.seconds);
    Clock::time_point next_look = after(seconds_between_looks);
    while (true) {
        const std::uint32_t bell = m_segment->head().bell.load(std::memory_order_acquire);
        if (!is_any_missing(is_missing))
            return {};
        if (m_segment->has_failed())
            return Error{"group", m_segment->failure()};
        if (is_cancelled(call))
            return cancelled_wait();
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
                return fail(cat(name_of(rank), " does not come: ", name_of(m_rank), " has waited for it in ", call,
                                " for ", m_patience.seconds, " s"));
        }
    }
}

// Who is done may go before the others have seen that they are.
Result<void> Waiting::watch(const std::function<Result<bool>()>& is_done, const std::string& call) const {
    constexpr double seconds_to_end = 1;
    // What a GPU does is mostly done by then, and the shortest sleep takes 50 us.
    const Clock::time_point sleep = after(5e-3);
    const Clock::time_point deadline = after(m_patience.seconds);
    Clock::time_point next_look = after(seconds_between_looks);
    std::optional<Clock::time_point> gone;
    while (true) {
        const Result<bool> done = is_done();
        if (!done)
            return fail(cat(name_of(m_rank), ": ", done.error().message));
        if (done.value())
            return {};
        if (Clock::now() < sleep) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (m_segment->has_failed())
            return Error{"group", m_segment->failure()};
        if (is_cancelled(call))
            return cancelled_wait();
        if (Clock::now() < next_look)
            continue;
        next_look = after(seconds_between_looks);
        const std::string why = why_gone(call);
        if (!why.empty() && !gone)
            gone = after(seconds_to_end);
        if (!why.empty() && Clock::now() >= *gone)
            return fail(why);
        if (Clock::now() >= deadline)
            return fail(cat(name_of(m_rank), " has been in ", call, " for ", m_patience.seconds, " s"));
    }
}

} // namespace hidet::distributed
