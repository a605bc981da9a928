// SPDX-License-Identifier: Apache-2.0
// The ranks of a program that runs once for each, here each on a host thread of this process: where they wait for each other,
// and the memory that all of them have alike. Somebody always runs, or all that wait are told why nobody comes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/base/result.h"
#include "runtime/vm/checks/rank_history.h"

namespace hidet::vm {

class Team {
public:
    explicit Team(int size) : m_ranks(static_cast<std::size_t>(size)), m_history(size) {}
    int size() const { return static_cast<int>(m_ranks.size()); }

    // What a rank comes with; those that meet come with the same, but for what is theirs.
    struct Call {
        std::string what;         // "all_reduce of f32[4]"
        std::vector<int> members; // ascending
        void* mine = nullptr;
    };
    // Done once for all members, by the last to come; what each came with, in their order.
    using Together = std::function<Result<void>(std::span<void* const> all)>;
    Result<void> meet(int rank, Call call, const Together& together);
    enum class End : unsigned char { Well, Failed };
    void leave(int rank, End end); // who waits for one that failed is cancelled

    // Memory that all ranks have alike: what each of them brought, of as many bytes.
    using Parts = std::vector<std::shared_ptr<std::byte[]>>;
    void add_parts(Parts parts, std::size_t bytes);
    // Where each rank has what lies at an address of a part; empty: it lies in none.
    std::vector<std::byte*> peers_of(const std::byte* address) const;
    RankHistory& history() { return m_history; } // of that memory

private:
    enum class State : unsigned char { Runs, Waits, Together, Left };
    struct Rank {
        State state = State::Runs;
        Call call;
        std::optional<Result<void>> outcome;
    };
    bool have_all_come(const Call& call) const;
    void end_if_stuck();
    std::string places_text() const;

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Rank> m_ranks;
    bool m_has_failed = false; // one of them, which says itself why
    struct Symmetric {
        std::size_t bytes = 0;
        std::shared_ptr<const Parts> parts;
    };
    std::map<const std::byte*, Symmetric> m_symmetric; // by the begin of each part
    RankHistory m_history;
};

} // namespace hidet::vm
