// SPDX-License-Identifier: Apache-2.0
// In which phase of a barrier threads arrive, and which phases are over where they have waited.
//
// Phases are numbered from 0. Each instruction about a barrier is given a phase, as a term: a ring of `n` barriers has turn // n.
// That is a guess, of which is shown:
//
// * A wait for parity p is over when a phase of that parity is, so behind a wait for phase n - 1 (or at the beginning) one whose
//   parity is that of n means that phase n is over. One thread's waits at a barrier say that by themselves.
// * Who arrives in phase n knows that phase n - 1 is over: it has waited for it, or for another barrier, where a thread arrived
//   that had.
// * No more arrive in a phase than the barrier waits for, and no more bytes come in it than are expected. So the phase is over
//   only when all of them have come, and nobody arrives in a later one than its own.
//
// Of these each speaks of earlier times than the others need, so together they hold by induction over time.
#pragma once

#include <functional>

#include "compiler/prove/copies.h"
#include "compiler/prove/kernel_facts.h"

namespace hidet::compiler::prove {

// An event at some iterations of the loops around it.
struct SyncInstance {
    const SyncEvent* event = nullptr;
    Term when = nullptr, offset = nullptr;
    Term phase = nullptr; // in which it arrives, or which it waits for; null: it has none
    Moment moment = {};
    Term over(Terms& terms) const; // so many phases are over then
};

// Terms as a thread has them at iterations of the loops around a moment.
class AtIterations {
public:
    AtIterations(Terms& terms, Copies& thread, const Moment& moment, std::vector<Term> iterations);
    Term of(Term term) { return m_has_loops ? m_there.of(m_thread.of(term)) : m_thread.of(term); }
    Term exist(); // that the loops have such iterations

private:
    Terms& m_terms;
    Copies& m_thread;
    const Moment& m_moment;
    std::vector<Term> m_iterations;
    Copies m_there;
    bool m_has_loops;
};

class PhaseCounts;

class Phases {
public:
    Phases(Terms& terms, const KernelFacts& facts, const Ask& solver);

    // Whether they are known of all barriers; of none of them nothing is said.
    bool are_known() const { return m_stopped_at == nullptr; }
    const SyncEvent* stopped_at() const { return m_stopped_at; } // the first one that is not understood
    // A barrier that fewer arrive at than it waits for; null: there is none.
    const SyncEvent* waits_in_vain() const { return m_in_vain; }

    // The event near a moment of the same thread: at the same iterations of loops around both, those of the innermost one
    // moved by `shift`. At those of other loops it is at the iterations `inner`, or at the last ones.
    enum class Inner : std::uint8_t { Given, Last };
    SyncInstance near(const SyncEvent& event, const Moment& moment, std::int64_t shift, Inner inner) const;
    Term phase_of(const SyncEvent& event) const { return m_phase[index_of(event)]; }
    Term inner_iteration(std::size_t depth) const; // a symbol in the place of `inner`
    static bool has_inner(const SyncEvent& event, const Moment& moment);
    // The loops around it, but not around the moment, run at all of their iterations: it has happened at them.
    static bool has_run(const SyncEvent& event, const Moment& moment);
    const std::vector<std::int64_t>& shifts() const { return m_shifts; } // of one turn of a ring

private:
    friend class PhaseCounts;
    bool find();
    bool find_waits();
    bool find_arrivals(bool apart);
    bool check_arrivals();
    bool is_told(const SyncEvent& event, PhaseCounts& counts); // that the phase before its own is over
    void add_telling(const SyncEvent& event, const SyncInstance& waited, Term is_over, PhaseCounts& counts,
                     std::vector<Term>& question);
    void add_telling(const SyncEvent& event, const SyncInstance& waited, Term is_over, const SyncEvent& arrival,
                     Copies& thread, std::vector<Term>& question);
    Term told_by_any(const SyncEvent& event, const SyncInstance& waited, Term is_over);
    bool join_expected(const SyncEvent& event);
    SyncInstance beside(const SyncEvent& event, const Moment& moment) const;
    bool is_expected_with(const SyncEvent& event); // its thread arrives in the same phase, later
    bool is_never(std::vector<Term> conditions) const;
    bool follows_waits(const SyncEvent& event);
    void guess_arrival(const SyncEvent& event, bool apart);
    bool collides(const SyncEvent& event);
    std::vector<Term> guesses(const SyncEvent& event) const;
    std::size_t index_of(const SyncEvent& event) const {
        return static_cast<std::size_t>(&event - m_facts.syncs.data());
    }
    // What the thread knows of the barrier then: that `phases` of it are over.
    Term knows(const Moment& moment, int object, Term offset, Term phases) const {
        return knows(moment, object, offset, phases, [](Term term) { return term; });
    }
    // Another one, of which terms are what `there` makes of them.
    Term knows(const Moment& moment, int object, Term offset, Term phases,
               const std::function<Term(Term)>& there) const;
    bool stop(const SyncEvent& at);

    Terms& m_terms;
    const KernelFacts& m_facts;
    const Ask& m_solver;
    std::vector<Term> m_phase; // of each event; null: none yet
    std::vector<std::int64_t> m_shifts{0};
    mutable std::vector<Term> m_inner;
    const SyncEvent* m_stopped_at = nullptr;
    const SyncEvent* m_in_vain = nullptr;
};

inline bool is_at_barrier(const SyncEvent& event) {
    return event.kind != SyncKind::MeetWarp && event.kind != SyncKind::MeetBlock && event.kind != SyncKind::Fence;
}

} // namespace hidet::compiler::prove
