// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/phases.h"

#include <algorithm>
#include <limits>
#include <set>

#include "compiler/prove/phase_counts.h"

namespace hidet::compiler::prove {

namespace {

constexpr std::int64_t longest_ring = 32;
constexpr int none_made = std::numeric_limits<int>::max();

// The first of the terms that the loops around made.
int first_made_in(const Moment& moment) {
    int first = none_made;
    for (const Moment::Around& around : moment.loops)
        if (around.iteration->kind == TermKind::Symbol)
            first = std::min(first, around.iteration->id);
    return first;
}

bool has_phase(const SyncEvent& event) {
    return is_at_barrier(event) && event.kind != SyncKind::Init;
}

void each_term(Term term, std::set<Term>& seen, const auto& visit) {
    if (!term || !seen.insert(term).second)
        return;
    visit(term);
    for (Term arg : term->args)
        each_term(arg, seen, visit);
}

bool depends_on_loops(Term term, const Moment& moment) {
    bool found = false;
    std::set<Term> seen;
    each_term(term, seen, [&](Term each) {
        for (const Moment::Around& around : moment.loops)
            found = found || (each == around.iteration && each->kind == TermKind::Symbol);
    });
    return found;
}

// How many turns of a loop around make one of the ring that the term goes around, as remainder or as what is left of one; 0: it
// does not.
std::int64_t ring_of(Term term, const Moment& moment) {
    if (term->kind != TermKind::Remainder && term->kind != TermKind::Quotient)
        return 0;
    const Term turns = term->args[0];
    for (std::size_t i = 0; turns->kind == TermKind::Sum && i < turns->args.size(); ++i)
        if (turns->factors[i] < 0 && depends_on_loops(turns->args[i], moment))
            return 0; // it goes backwards: of numbers below 0 one rounds to 0 so
    const auto length = Terms::constant_of(term->args[1]);
    return length && *length > 1 && *length <= longest_ring && depends_on_loops(term, moment) ? *length : 0;
}

} // namespace

AtIterations::AtIterations(Terms& terms, Copies& thread, const Moment& moment, std::vector<Term> iterations)
    : m_terms(terms), m_thread(thread), m_moment(moment), m_iterations(std::move(iterations)),
      m_there(terms, Same::InBlock, first_made_in(moment)), m_has_loops(first_made_in(moment) != none_made) {
    for (std::size_t i = 0; i < moment.loops.size(); ++i)
        if (moment.loops[i].iteration->kind == TermKind::Symbol)
            m_there.replace(moment.loops[i].iteration, m_iterations[i]);
}

Term AtIterations::exist() {
    std::vector<Term> all;
    for (std::size_t i = 0; i < m_moment.loops.size(); ++i) {
        all.push_back(m_terms.less_equal(m_terms.constant(0), m_iterations[i]));
        if (const Term extent = m_moment.loops[i].extent)
            all.push_back(m_terms.less(m_iterations[i], of(extent)));
    }
    return m_terms.all(all);
}

Term SyncInstance::over(Terms& terms) const {
    return event->kind == SyncKind::Wait ? terms.add(phase, terms.constant(1)) : phase;
}

Phases::Phases(Terms& terms, const KernelFacts& facts, const Ask& solver)
    : m_terms(terms), m_facts(facts), m_solver(solver), m_phase(facts.syncs.size()) {
    if (std::ranges::any_of(m_facts.syncs, has_phase) && !find() && !m_stopped_at)
        stop(*std::ranges::find_if(m_facts.syncs, has_phase));
}

bool Phases::stop(const SyncEvent& at) {
    if (!m_stopped_at)
        m_stopped_at = &at;
    return false;
}

bool Phases::is_never(std::vector<Term> conditions) const {
    conditions.insert(conditions.begin(), m_facts.launched);
    return ask(m_solver, conditions).can == Can::No;
}

// ---- instances ------------------------------------------------------------------------------------------------------------

Term Phases::inner_iteration(std::size_t depth) const {
    while (m_inner.size() <= depth)
        m_inner.push_back(m_terms.symbol("inner", Same::InThread));
    return m_inner[depth];
}

namespace {

std::size_t common_loops(const Moment& a, const Moment& b) {
    std::size_t out = 0;
    while (out < std::min(a.loops.size(), b.loops.size()) && a.loops[out].loop == b.loops[out].loop)
        ++out;
    return out;
}

} // namespace

bool Phases::has_inner(const SyncEvent& event, const Moment& moment) {
    return common_loops(event.moment, moment) < event.moment.loops.size();
}

bool Phases::has_run(const SyncEvent& event, const Moment& moment) {
    const auto inner = event.moment.loops.begin() + static_cast<std::ptrdiff_t>(common_loops(event.moment, moment));
    return std::all_of(inner, event.moment.loops.end(),
                       [](const Moment::Around& around) { return around.is_complete; });
}

SyncInstance Phases::near(const SyncEvent& event, const Moment& moment, std::int64_t shift, Inner inner) const {
    const std::size_t common = common_loops(event.moment, moment);
    std::vector<Term> at;
    int first = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < event.moment.loops.size(); ++i) {
        const Moment::Around& around = event.moment.loops[i];
        if (i < common)
            at.push_back(i + 1 == common ? m_terms.add(moment.loops[i].iteration, m_terms.constant(shift))
                                         : moment.loops[i].iteration);
        else
            at.push_back(inner == Inner::Last && around.extent
                             ? m_terms.add(around.extent, m_terms.constant(common == 0 ? shift - 1 : -1))
                             : inner_iteration(i));
        if (at.back() != around.iteration && around.iteration->kind == TermKind::Symbol)
            first = std::min(first, around.iteration->id);
    }
    Copies moved(m_terms, Same::InBlock, first); // what is unknown in an iteration is another unknown in another
    for (std::size_t i = 0; i < at.size(); ++i)
        if (event.moment.loops[i].iteration->kind == TermKind::Symbol)
            moved.replace(event.moment.loops[i].iteration, at[i]);
    const bool is_same = first == std::numeric_limits<int>::max();
    const auto of = [&](Term term) { return term && !is_same ? moved.of(term) : term; };
    SyncInstance out{&event, of(event.when), of(event.offset), of(phase_of(event)), event.moment};
    for (std::size_t i = 0; i < at.size(); ++i) {
        Moment::Around& around = out.moment.loops[i];
        if (around.iteration->kind != TermKind::Symbol)
            continue;
        around.iteration = at[i]; // which, other than the symbol, says not by itself what iterations there are
        out.when = m_terms.both(out.when, m_terms.less_equal(m_terms.constant(0), at[i]));
        if (around.extent)
            out.when = m_terms.both(out.when, m_terms.less(at[i], of(around.extent)));
    }
    return out;
}

Term Phases::knows(const Moment& moment, int object, Term offset, Term phases,
                   const std::function<Term(Term)>& there) const {
    std::vector<Term> any;
    for (const SyncEvent& event : m_facts.syncs) {
        if (event.object != object || !has_phase(event) || event.kind == SyncKind::Expect || !phase_of(event) ||
            !has_run(event, moment) ||
            (has_inner(event, moment) && common_loops(event.moment, moment) == 0 && !event.moment.loops[0].extent))
            continue;
        for (const std::int64_t shift : m_shifts) {
            if (shift != 0 && event.moment.loops.empty())
                continue;
            const SyncInstance known = near(event, moment, shift, Inner::Last);
            const Term before = m_terms.both(known.when, is_before(m_terms, known.moment, moment));
            if (!is_false(before))
                any.push_back(m_terms.all({there(before), m_terms.equal(there(known.offset), offset),
                                           m_terms.less_equal(phases, there(known.over(m_terms)))}));
        }
    }
    return m_terms.any(any);
}

// ---- guesses --------------------------------------------------------------------------------------------------------------

// None but the first; turns of rings whose place, parity or condition says how long they are; the iterations of the loops around.
std::vector<Term> Phases::guesses(const SyncEvent& event) const {
    std::vector<Term> out;
    const auto add = [&](Term term) {
        if (std::ranges::find(out, term) == out.end())
            out.push_back(term);
    };
    add(m_terms.constant(0)); // each barrier once
    std::set<Term> seen;
    for (Term of : {event.offset, event.parity, event.when})
        each_term(of, seen, [&](Term each) {
            if (ring_of(each, event.moment) > 0)
                add(m_terms.quotient(each->args[0], each->args[1]));
        });
    for (auto at = event.moment.loops.rbegin(); at != event.moment.loops.rend(); ++at)
        add(at->iteration);
    return out;
}

bool Phases::find() {
    std::set<std::int64_t> rings{1};
    for (const SyncEvent& event : m_facts.syncs) {
        if (!is_at_barrier(event))
            continue;
        if (event.object < 0 || !event.offset || !event.when)
            return stop(event);
        std::set<Term> seen;
        for (Term of : {event.offset, event.parity, event.when})
            each_term(of, seen, [&](Term each) {
                if (const std::int64_t ring = ring_of(each, event.moment); ring > 0)
                    rings.insert(ring);
            });
    }
    std::set<std::int64_t> shifts{1};
    for (const std::int64_t ring : rings)
        shifts.insert({-ring - 1, -ring, -ring + 1});
    shifts.erase(0);
    m_shifts.insert(m_shifts.end(), shifts.begin(), shifts.end());
    if (!find_waits())
        return false;
    for (const bool apart : {false, true}) {
        m_stopped_at = nullptr;
        if (find_arrivals(apart) && check_arrivals())
            return true;
    }
    return false;
}

// ---- waits ----------------------------------------------------------------------------------------------------------------

bool Phases::find_waits() {
    const Term two = m_terms.constant(2);
    for (const SyncEvent& event : m_facts.syncs) {
        if (event.kind != SyncKind::Wait || event.is_own_phase)
            continue;
        if (!event.parity)
            return stop(event);
        Term& phase = m_phase[index_of(event)];
        for (const Term guess : guesses(event)) {
            for (const std::int64_t more : {1, 0, -1, -2}) {
                phase = m_terms.add(guess, m_terms.constant(more));
                const Term differs =
                    m_terms.negate(m_terms.equal(m_terms.remainder(phase, two), m_terms.remainder(event.parity, two)));
                if (is_never({event.when, differs}) && follows_waits(event))
                    break;
                phase = nullptr;
            }
            if (phase)
                break;
        }
        if (!phase)
            return stop(event);
    }
    return true;
}

// The phase before is over: it waited for that, if it is not the first one.
bool Phases::follows_waits(const SyncEvent& event) {
    const Term phase = phase_of(event);
    return is_never({event.when, m_terms.less(m_terms.constant(0), phase),
                     m_terms.negate(knows(event.moment, event.object, event.offset, phase))});
}

// ---- arrivals -------------------------------------------------------------------------------------------------------------

// The earliest phases that there are. `apart`: a thread arrives once in a phase.
bool Phases::find_arrivals(bool apart) {
    for (const SyncEvent& event : m_facts.syncs) {
        if (!has_phase(event) || (event.kind == SyncKind::Wait && !event.is_own_phase))
            continue;
        m_phase[index_of(event)] = nullptr;
    }
    for (const SyncEvent& event : m_facts.syncs) {
        if (!has_phase(event) || (event.kind == SyncKind::Wait && !event.is_own_phase))
            continue;
        Term& phase = m_phase[index_of(event)];
        if (event.is_own_phase) {
            phase = m_phase[index_of(event) - 1];
            continue;
        }
        if (event.kind == SyncKind::Bytes)
            continue;
        guess_arrival(event, apart);
        if (!phase)
            return stop(event);
    }
    for (const SyncEvent& event : m_facts.syncs)
        if (event.kind == SyncKind::Bytes && !join_expected(event)) {
            guess_arrival(event, apart);
            if (!phase_of(event))
                return stop(event);
        }
    return true;
}

// Bytes mostly come in the phase in which the thread that begins the copy expects them: in the same iteration, or in that of a
// loop before.
bool Phases::join_expected(const SyncEvent& event) {
    std::vector<Term> missing{event.when};
    Term phase = nullptr;
    for (const SyncEvent& arrival : m_facts.syncs) {
        if (arrival.object != event.object || !arrival.bytes || arrival.kind != SyncKind::Arrive ||
            arrival.moment.loops.size() > event.moment.loops.size())
            continue;
        const SyncInstance here = beside(arrival, event.moment);
        const Term is_here = m_terms.both(here.when, m_terms.equal(here.offset, event.offset));
        missing.push_back(m_terms.negate(is_here));
        phase = phase ? m_terms.choose(is_here, here.phase, phase) : here.phase;
        if (!is_never(missing))
            continue;
        m_phase[index_of(event)] = phase;
        return true;
    }
    return false;
}

// At the same iterations, of other loops, too.
SyncInstance Phases::beside(const SyncEvent& event, const Moment& moment) const {
    SyncInstance out = near(event, moment, 0, Inner::Given);
    if (!has_inner(event, moment))
        return out;
    Copies at(m_terms, Same::InThread, std::numeric_limits<int>::max());
    for (std::size_t i = common_loops(event.moment, moment); i < event.moment.loops.size(); ++i)
        at.replace(inner_iteration(i), moment.loops[i].iteration);
    out.when = at.of(out.when), out.offset = at.of(out.offset), out.phase = at.of(out.phase);
    return out;
}

// Rather one in which the thread does it once.
void Phases::guess_arrival(const SyncEvent& event, bool apart) {
    Term& phase = m_phase[index_of(event)];
    Term repeated = nullptr;
    for (const Term guess : guesses(event))
        for (const std::int64_t more : {-1, 0, 1}) {
            phase = m_terms.add(guess, m_terms.constant(more));
            if (!is_never({event.when, m_terms.less(phase, m_terms.constant(0))}) || (apart && collides(event)))
                continue;
            if (PhaseCounts(*this).is_done_once(event))
                return;
            repeated = repeated ? repeated : phase;
            break;
        }
    phase = repeated;
}

// With an arrival of the same thread before it.
bool Phases::collides(const SyncEvent& event) {
    if (!arrives_at_barrier(event))
        return false;
    for (const SyncEvent& other : m_facts.syncs) {
        if (&other == &event)
            return false;
        if (!arrives_at_barrier(other) || other.object != event.object || !phase_of(other))
            continue;
        const Term same = m_terms.all({other.when, m_terms.equal(other.offset, event.offset),
                                       m_terms.equal(phase_of(other), phase_of(event)),
                                       is_before(m_terms, other.moment, event.moment)});
        if (!is_never({event.when, same}))
            return true;
    }
    return false;
}

// A thread that has waited for a phase of some barrier knows what one that arrived in it knew.
bool Phases::is_told(const SyncEvent& event, PhaseCounts& counts) {
    const Term phase = phase_of(event);
    const std::vector<Term> untold{event.when, m_terms.less(m_terms.constant(0), phase),
                                   m_terms.negate(knows(event.moment, event.object, event.offset, phase))};
    if (is_never(untold))
        return true;
    std::vector<Term> all = untold;
    const auto is_told_by = [&](const std::vector<Term>& what) {
        std::vector<Term> question = untold;
        question.insert(question.end(), what.begin(), what.end());
        all.insert(all.end(), what.begin(), what.end());
        return is_never(question);
    };
    for (const std::int64_t shift : {std::int64_t{0}, std::int64_t{-1}})
        for (auto wait = m_facts.syncs.rbegin(); wait != m_facts.syncs.rend(); ++wait) {
            if (wait->kind != SyncKind::Wait || !phase_of(*wait) || !has_run(*wait, event.moment))
                continue;
            const SyncInstance waited = near(*wait, event.moment, shift, Inner::Last);
            const Term is_over = m_terms.all({waited.when, is_before(m_terms, waited.moment, event.moment),
                                              m_terms.less_equal(m_terms.constant(0), waited.phase)});
            if (is_false(is_over))
                continue;
            std::vector<Term> telling;
            add_telling(event, waited, is_over, counts, telling);
            if (is_told_by({told_by_any(event, waited, is_over)}) || is_told_by(telling))
                return true;
        }
    return is_never(all);
}

// Some thread has arrived in a phase that is over; what it may be that did not know.
Term Phases::told_by_any(const SyncEvent& event, const SyncInstance& waited, Term is_over) {
    std::vector<Term> who{m_terms.negate(is_over)};
    for (const SyncEvent& arrival : m_facts.syncs) {
        if (!arrives_at_barrier(arrival) || arrival.object != waited.event->object || arrival.adds_one)
            continue;
        Copies of(m_terms, Same::InThread);
        const Term knew =
            knows(arrival.moment, event.object, event.offset, phase_of(event), [&](Term term) { return of.of(term); });
        who.push_back(m_terms.all({of.of(m_facts.launched), of.of(arrival.when),
                                   m_terms.equal(of.of(arrival.offset), waited.offset),
                                   m_terms.equal(of.of(phase_of(arrival)), waited.phase), m_terms.negate(knew)}));
    }
    return m_terms.any(who);
}

// All threads that arrive in a phase have, when it is over: so have some of those that an instruction counts, at about the
// iteration at which it was waited for.
void Phases::add_telling(const SyncEvent& event, const SyncInstance& waited, Term is_over, PhaseCounts& counts,
                         std::vector<Term>& question) {
    for (const SyncEvent& arrival : m_facts.syncs) {
        if (!arrives_at_barrier(arrival) || arrival.object != waited.event->object || arrival.adds_one ||
            arrival.moment.loops.size() > waited.moment.loops.size())
            continue;
        for (Copies& thread : counts.some_threads(arrival))
            add_telling(event, waited, is_over, arrival, thread, question);
    }
}

void Phases::add_telling(const SyncEvent& event, const SyncInstance& waited, Term is_over, const SyncEvent& arrival,
                         Copies& thread, std::vector<Term>& question) {
    const std::size_t depth = arrival.moment.loops.size();
    for (const std::int64_t shift : m_shifts) {
        if (shift != 0 && depth == 0)
            continue;
        std::vector<Term> iterations;
        for (std::size_t i = 0; i < depth; ++i)
            iterations.push_back(
                m_terms.add(waited.moment.loops[i].iteration, m_terms.constant(i + 1 == depth ? shift : 0)));
        AtIterations there(m_terms, thread, arrival.moment, std::move(iterations));
        question.push_back(m_terms.negate(m_terms.all(
            {is_over, there.exist(), there.of(arrival.when), m_terms.equal(there.of(arrival.offset), waited.offset),
             m_terms.equal(there.of(phase_of(arrival)), waited.phase),
             knows(arrival.moment, event.object, event.offset, phase_of(event),
                   [&](Term term) { return there.of(term); })})));
    }
}

bool Phases::is_expected_with(const SyncEvent& event) {
    std::vector<Term> any;
    for (const SyncEvent& other : m_facts.syncs)
        if (other.kind == SyncKind::Arrive && other.object == event.object && !has_inner(other, event.moment) &&
            other.moment.loops.size() == event.moment.loops.size()) {
            const SyncInstance arrival = near(other, event.moment, 0, Inner::Given);
            any.push_back(m_terms.all(
                {arrival.when, is_before(m_terms, event.moment, arrival.moment),
                 m_terms.equal(arrival.offset, event.offset), m_terms.equal(arrival.phase, phase_of(event)),
                 is_never({arrival.when, m_terms.negate(event.when)}) ? m_terms.truth(true) : m_terms.truth(false)}));
        }
    return is_never({event.when, m_terms.negate(m_terms.any(any))});
}

bool Phases::check_arrivals() {
    PhaseCounts counts(*this);
    for (const SyncEvent& event : m_facts.syncs) {
        if (!has_phase(event) || event.kind == SyncKind::Wait)
            continue;
        const bool has_company = event.kind == SyncKind::Expect || event.adds_one;
        if ((has_company && !is_expected_with(event)) || !is_told(event, counts))
            return stop(event);
    }
    m_in_vain = nullptr;
    if (const SyncEvent* wrong = counts.check())
        return stop(*wrong);
    m_in_vain = counts.waits_in_vain();
    return true;
}

} // namespace hidet::compiler::prove
