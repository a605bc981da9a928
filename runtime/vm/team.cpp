// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/team.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::vm {

bool Team::have_all_come(const Call& call) const {
    return std::ranges::all_of(call.members, [&](int member) {
        const Rank& rank = m_ranks.at(static_cast<std::size_t>(member));
        return rank.state == State::Waits && rank.call.what == call.what && rank.call.members == call.members;
    });
}

std::string Team::places_text() const {
    std::string text;
    for (std::size_t i = 0; i < m_ranks.size(); ++i)
        text += cat(i == 0                    ? ""
                    : i + 1 == m_ranks.size() ? ", and "
                                              : ", ",
                    "rank ", i, m_ranks[i].state == State::Left ? " has ended" : cat(" is at ", m_ranks[i].call.what));
    return text;
}

// Whoever waits for somebody who waits elsewhere, or has ended, does so for ever once nobody runs any more.
void Team::end_if_stuck() {
    const auto is_in = [this](State state) { return std::ranges::count(m_ranks, state, &Rank::state); };
    if (is_in(State::Runs) || is_in(State::Together) || !is_in(State::Waits))
        return;
    const Error error{m_has_failed ? "cancelled" : "group", cat("ranks wait for each other for ever: ", places_text())};
    for (Rank& rank : m_ranks)
        if (rank.state == State::Waits)
            rank.state = State::Runs, rank.outcome = error;
    m_changed.notify_all();
}

Result<void> Team::meet(int rank, Call call, const Together& together) {
    std::unique_lock lock(m_mutex);
    Rank& self = m_ranks.at(static_cast<std::size_t>(rank));
    self.state = State::Waits;
    self.call = call;
    self.outcome.reset();
    if (!have_all_come(call)) {
        end_if_stuck();
        m_changed.wait(lock, [&] { return self.outcome.has_value(); });
        return *self.outcome;
    }
    std::vector<void*> all;
    for (const int member : call.members) {
        Rank& each = m_ranks[static_cast<std::size_t>(member)];
        each.state = State::Together;
        all.push_back(each.call.mine);
    }
    lock.unlock();
    const auto go_on = [&](const Result<void>& outcome) {
        const std::lock_guard again(m_mutex);
        for (const int member : call.members) {
            Rank& each = m_ranks[static_cast<std::size_t>(member)];
            each.state = State::Runs;
            each.outcome = outcome;
        }
        m_changed.notify_all();
    };
    try {
        const Result<void> outcome = together(all);
        go_on(outcome);
        return outcome;
    } catch (...) {
        go_on(Error{"group", "what the ranks did together failed"});
        throw;
    }
}

void Team::leave(int rank, End end) {
    const std::lock_guard lock(m_mutex);
    m_has_failed = m_has_failed || end == End::Failed;
    m_ranks.at(static_cast<std::size_t>(rank)).state = State::Left;
    end_if_stuck();
}

void Team::add_parts(Parts parts, std::size_t bytes) {
    const auto shared = std::make_shared<const Parts>(std::move(parts));
    const std::lock_guard lock(m_mutex);
    for (const auto& part : *shared) {
        m_symmetric[part.get()] = {bytes, shared};
        m_history.add_part(part.get(), bytes);
    }
}

std::vector<std::byte*> Team::peers_of(const std::byte* address) const {
    const std::lock_guard lock(m_mutex);
    auto it = m_symmetric.upper_bound(address);
    if (it == m_symmetric.begin())
        return {};
    const auto& [begin, symmetric] = *--it;
    const auto at = static_cast<std::size_t>(address - begin);
    if (at > 0 && at >= symmetric.bytes)
        return {};
    std::vector<std::byte*> out;
    for (const auto& part : *symmetric.parts)
        out.push_back(part.get() + at);
    return out;
}

} // namespace hidet::vm
