// SPDX-License-Identifier: Apache-2.0
// How many threads arrive in a phase of a barrier, and how many bytes come in it: at most as many as the barrier waits for.
#pragma once

#include <map>

#include "compiler/prove/phases.h"

namespace hidet::compiler::prove {

class PhaseCounts {
public:
    explicit PhaseCounts(Phases& phases);

    const SyncEvent* check();                  // null: all is as it should be
    bool is_done_once(const SyncEvent& event); // by a thread, in a phase
    // As some threads have terms that do it.
    std::vector<Copies> some_threads(const SyncEvent& event);
    const SyncEvent* waits_in_vain() const { return m_in_vain; }

private:
    // Threads that arrive at the same barrier in the same phase, as far as terms say that.
    struct Share {
        Term offset = nullptr, phase = nullptr;
        std::int64_t threads = 0;
    };
    struct Site {
        const SyncEvent* event = nullptr;
        std::vector<Share> shares;
        std::int64_t times = 1; // a thread does it in a phase
    };
    struct Made {
        std::int64_t threads = 0;
        int times = 0;
    };

    bool place_threads(); // false: their numbers are not known
    bool find_barriers();
    bool is_made_here(const SyncEvent& init, Copies& of_thread);
    bool is_made(const SyncEvent& event);
    bool copies_see(const SyncEvent& init);
    bool count(Site& site);
    bool find_times(Site& site);
    bool is_one_thread(const SyncEvent& event);
    bool has_whole_warps(const std::vector<std::int64_t>& threads) const;
    bool may_meet(const Site& a, const Share& share, const Site& b, const Share& other);
    struct Together;
    using Member = std::pair<const Site*, const Share*>;
    bool add(Together& sum, const Site& site, const Share& share) const; // false: it is not known how much
    bool each_set(const std::vector<Member>& chosen, const std::vector<Member>& left, std::size_t from,
                  std::vector<Together>& out);
    std::int64_t expected_threads(const Site& site, const Share& share) const; // 0: that is not known
    bool check_site(const Site& site);

    Phases& m_phases;
    Terms& m_terms;
    std::vector<std::vector<std::pair<Term, std::int64_t>>> m_threads; // of each thread, what its index is made of
    std::vector<Site> m_sites;
    std::map<std::pair<int, std::int64_t>, Made> m_made; // by object and offset
    std::map<std::pair<std::size_t, std::size_t>, bool> m_may_meet;
    const SyncEvent* m_in_vain = nullptr;
};

} // namespace hidet::compiler::prove
