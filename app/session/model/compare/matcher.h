// SPDX-License-Identifier: Apache-2.0
// Pairs the places of two sides; see graph_match.h for how.
#pragma once

#include <atomic>
#include <queue>

#include "app/session/model/compare/match_side.h"

namespace hidet::session {

enum class MatchOrder { NamesFirst, StructureFirst };

class Matcher {
public:
    Matcher(const MatchSide& left, const MatchSide& right, const std::atomic<bool>* cancelled);

    void run(MatchOrder order);
    // By place on the left or on the right: the place on the other side; no_id: none.
    const std::vector<std::uint32_t>& of_left() const { return m_partner[0]; }
    const std::vector<std::uint32_t>& of_right() const { return m_partner[1]; }
    // How many operators differ or have no partner.
    std::size_t cost() const;

private:
    using Hashes = std::vector<std::uint64_t>;
    struct Candidate {
        int score = 0;
        std::uint32_t turn = 0, left = no_id, right = no_id;
        friend bool operator<(const Candidate& a, const Candidate& b) {
            return a.score != b.score ? a.score < b.score : a.turn > b.turn;
        }
    };
    struct Around { // hashes of what is around a node, up to some number of edges
        Hashes up1, up2, down1, down2;
    };
    enum class Way { Down, Up };

    const MatchNode& left(std::uint32_t place) const { return m_side[0]->nodes[place]; }
    const MatchNode& right(std::uint32_t place) const { return m_side[1]->nodes[place]; }
    bool is_free(std::uint32_t a, std::uint32_t b) const {
        return m_partner[0][a] == no_id && m_partner[1][b] == no_id;
    }
    std::size_t left_count() const { return m_side[0]->nodes.size(); }
    bool is_stopped() const { return m_cancelled && *m_cancelled; }

    void match(std::uint32_t a, std::uint32_t b);
    void match_ends();
    void match_names();
    void match_unique(const Hashes& left, const Hashes& right);
    void match_equal(const Hashes& left, const Hashes& right);
    bool refine();
    enum class Beyond { GoesOnAlike, IsNear };
    bool look_ahead(Way way, Beyond beyond);
    bool match_in_scopes();
    bool match_replaced();
    bool is_between(std::uint32_t a, std::uint32_t b) const;
    void find_all();
    bool mend();
    bool exchange(std::uint32_t a, std::uint32_t b);
    int worth(std::uint32_t a, std::uint32_t b) const;

    Hashes wholes(int side, Way way) const;
    Hashes wider(int side, Way way, const Hashes& inner) const;
    Hashes colours(int side) const;

    void settle(int least_score);
    bool settle_one_weak();
    void suggest_around(std::uint32_t a, std::uint32_t b);
    void suggest_operands(std::uint32_t a, std::uint32_t b);
    void suggest_uses(std::uint32_t a, std::uint32_t b);
    void suggest(std::uint32_t a, std::uint32_t b);
    int score(std::uint32_t a, std::uint32_t b) const;
    int support(std::uint32_t a, std::uint32_t b) const;
    int likeness(std::uint32_t a, std::uint32_t b) const;
    std::vector<std::pair<std::uint32_t, int>> free_around(int side, std::uint32_t from, Way way) const;
    std::vector<std::uint32_t> neighbours(int side, std::uint32_t of, Way way) const;

    const MatchSide* m_side[2];
    const std::atomic<bool>* m_cancelled;
    std::vector<std::uint32_t> m_partner[2];
    Around m_around[2];
    std::priority_queue<Candidate> m_candidates;
    std::uint32_t m_turn = 0;  // of candidates
    std::uint32_t m_count = 0; // of matches
};

} // namespace hidet::session
