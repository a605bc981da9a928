// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/order.h"

#include <algorithm>
#include <limits>

namespace hidet::compiler::prove {

namespace {

constexpr std::int64_t lanes_that_arrive = 2; // for a warp, behind a barrier of it: the first one or two
constexpr int bits_of_lane = 5;

bool is_generic(const MemoryAccess& access) {
    return access.ends_by == EndsBy::Itself;
}

} // namespace

Order::Order(Terms& terms, const KernelFacts& facts, const Ask& solver)
    : m_terms(terms), m_facts(facts), m_phases(terms, facts, solver), m_counts(m_phases) {
    for (const SyncEvent& event : facts.syncs) {
        if (event.kind == SyncKind::Wait)
            m_waits.push_back(&event);
        if (event.kind == SyncKind::MeetBlock && event.moment.loops.empty())
            m_barriers.push_back(&event);
        if (event.kind == SyncKind::Bytes)
            m_ends.emplace(event.moment.place, &event);
    }
    const auto place = [](const SyncEvent* event) { return event->moment.place; };
    std::ranges::stable_sort(m_waits, {}, place);
    std::ranges::stable_sort(m_barriers, {}, place);
}

std::string Order::doubt() const {
    for (const SyncEvent& event : m_facts.syncs)
        if (is_at_barrier(event))
            return event.count && event.kind == SyncKind::Arrive ? "a named barrier" : "an mbarrier";
    return "";
}

Term Order::is_ordered(const OpenAccess& a, const OpenAccess& b, Copies& other) {
    const Side first{a, m_facts.accesses[a.access], false}, second{b, m_facts.accesses[b.access], true};
    if (!m_phases.are_known())
        return m_terms.truth(false);
    return m_terms.either(comes_first(first, second, other), comes_first(second, first, other));
}

Term Order::is_first(const OpenAccess& first, bool of_other, const OpenAccess& second, Copies& other) {
    return m_phases.are_known() ? comes_first({first, m_facts.accesses[first.access], of_other},
                                              {second, m_facts.accesses[second.access], !of_other}, other)
                                : m_terms.truth(false);
}

Term Order::is_fenced_before(OpenAccess first, const OpenAccess& second, bool of_other, Copies& other) {
    first.waited = first.fenced_at;
    return is_first(first, of_other, second, other);
}

// What happens behind the access, of its own thread.
std::vector<SyncInstance> Order::releases(const Side& first) {
    std::vector<SyncInstance> out;
    const MemoryAccess& access = first.access;
    for (const SyncEvent& event : m_facts.syncs) {
        const bool is_end = access.ends_by == EndsBy::Barrier && event.kind == SyncKind::Bytes &&
                            event.moment.place == access.ends_at && first.open.is_under_way;
        const bool is_of_copies = event.kind == SyncKind::ArriveOfCopies && access.ends_by == EndsBy::CopyGroup;
        const bool is_done = is_generic(access) || !first.open.is_under_way;
        if (is_end) {
            out.push_back(m_phases.near(event, access.moment, 0, Phases::Inner::Given));
            continue;
        }
        if (!is_of_copies && !(is_done && event.kind == SyncKind::Arrive))
            continue;
        const Moment& moment = first.open.waited && !is_of_copies ? *first.open.waited : access.moment;
        for (const std::int64_t shift : {std::int64_t{0}, std::int64_t{1}}) {
            SyncInstance release = m_phases.near(event, moment, shift, Phases::Inner::Given);
            release.when = m_terms.both(release.when, is_before(m_terms, moment, release.moment));
            if (!is_false(release.when))
                out.push_back(std::move(release));
        }
    }
    if (is_generic(access))
        add_releases_of_warp(first.open.waited ? *first.open.waited : access.moment, out);
    return out;
}

// The same in another lane of the warp.
SyncInstance Order::of_lane(const SyncInstance& instance, std::int64_t lane) {
    Copies of(m_terms,
              Same::InThread); // of which nothing else is known than that it is of the warp and of the iteration
    const Term thread = m_facts.thread[0];
    const auto keep = [&](Term term) {
        if (term->kind == TermKind::Symbol)
            of.replace(term, term);
        for (Term arg : term->args)
            if (arg->kind == TermKind::Symbol)
                of.replace(arg, arg);
    };
    for (Term index : m_facts.thread)
        keep(index);
    for (const Moment::Around& around : instance.moment.loops)
        keep(around.iteration);
    for (int bit = 0; bit < bits_of_lane; ++bit)
        for (std::size_t i = 0; i < thread->args.size(); ++i)
            if (thread->factors[i] == std::int64_t{1} << bit)
                of.replace(thread->args[i], m_terms.constant(lane >> bit & 1));
    const auto there = [&](Term term) { return term ? of.of(term) : nullptr; };
    SyncInstance out{instance.event, there(instance.when), there(instance.offset), there(instance.phase),
                     instance.moment};
    for (Moment::Around& around : out.moment.loops)
        around.iteration = there(around.iteration);
    return out;
}

// Behind a barrier of the warp, one lane arrives for all.
void Order::add_releases_of_warp(const Moment& moment, std::vector<SyncInstance>& out) {
    const auto width = Terms::constant_of(m_facts.block_dim[0]);
    if (!width || *width % (1 << bits_of_lane) != 0 || m_facts.thread[0]->kind != TermKind::Sum)
        return;
    for (const SyncEvent& meeting : m_facts.syncs) {
        if (meeting.kind != SyncKind::MeetWarp || Phases::has_inner(meeting, moment))
            continue;
        const SyncInstance met = m_phases.near(meeting, moment, 0, Phases::Inner::Given);
        const Term behind = m_terms.both(met.when, is_before(m_terms, moment, met.moment));
        if (is_false(behind))
            continue;
        for (std::int64_t lane = 0; lane < lanes_that_arrive; ++lane) {
            const SyncInstance there = of_lane(met, lane);
            for (const SyncEvent& event : m_facts.syncs) {
                if (event.kind != SyncKind::Arrive || event.is_own_phase)
                    continue;
                SyncInstance release = of_lane(m_phases.near(event, met.moment, 0, Phases::Inner::Given), lane);
                release.when =
                    m_terms.all({behind, there.when, release.when, is_before(m_terms, there.moment, release.moment)});
                if (!is_false(release.when))
                    out.push_back(std::move(release));
            }
        }
    }
}

// What the thread has waited for, or else knows, when it begins the access.
std::vector<SyncInstance> Order::known_by(const Side& second, int object) {
    std::vector<SyncInstance> out;
    const Moment& moment = second.access.moment;
    for (const SyncEvent& event : m_facts.syncs) {
        const bool tells =
            event.kind == SyncKind::Wait || event.kind == SyncKind::Arrive || event.kind == SyncKind::Bytes;
        if (!tells || event.object != object || !Phases::has_run(event, moment))
            continue;
        std::vector<Phases::Inner> inners{Phases::Inner::Given};
        if (Phases::has_inner(event, moment))
            inners.push_back(Phases::Inner::Last);
        for (const Phases::Inner inner : inners)
            for (const std::int64_t shift : {std::int64_t{0}, std::int64_t{-1}}) {
                SyncInstance known = m_phases.near(event, moment, shift, inner);
                known.when = m_terms.both(known.when, is_before(m_terms, known.moment, moment));
                if (!is_false(known.when))
                    out.push_back(std::move(known));
            }
    }
    return out;
}

SyncInstance Order::placed(const SyncInstance& instance, const Side& of, const Side& partner, Copies& other) {
    const auto world = [&](Term term) { return term && of.is_other ? other.of(term) : term; };
    SyncInstance out{instance.event, world(instance.when), world(instance.offset), world(instance.phase),
                     instance.moment};
    if (!Phases::has_inner(*instance.event, of.access.moment))
        return out;
    Copies at(m_terms, Same::InThread, std::numeric_limits<int>::max());
    bool has_any = false;
    for (std::size_t depth = 0; depth < instance.event->moment.loops.size(); ++depth) {
        if (depth >= partner.access.moment.loops.size())
            break;
        const Term theirs = partner.access.moment.loops[depth].iteration;
        at.replace(world(m_phases.inner_iteration(depth)), partner.is_other ? other.of(theirs) : theirs);
        has_any = true;
    }
    if (has_any)
        out.when = at.of(out.when), out.offset = at.of(out.offset), out.phase = at.of(out.phase);
    return out;
}

Term Order::comes_first(const Side& first, const Side& second, Copies& other) {
    std::vector<Term> any;
    for (const SyncInstance& release : releases(first)) {
        const SyncInstance arrived = placed(release, first, second, other);
        for (const SyncInstance& wait : known_by(second, release.event->object)) {
            const SyncInstance known = placed(wait, second, first, other);
            any.push_back(m_terms.all({arrived.when, known.when, m_terms.equal(arrived.offset, known.offset),
                                       m_terms.less(arrived.phase, known.over(m_terms))}));
        }
    }
    any.push_back(ends_before_barrier(first, second, other));
    return m_terms.any(any);
}

Term Order::is_ended_for(const OpenAccess& copy, bool of_other, const OpenAccess& second, Copies& other) {
    return m_phases.are_known() ? ends_before_barrier({copy, m_facts.accesses[copy.access], of_other},
                                                      {second, m_facts.accesses[second.access], !of_other}, other)
                                : m_terms.truth(false);
}

Term Order::ends_before_barrier(const Side& copy, const Side& second, Copies& other) {
    if (copy.access.ends_by != EndsBy::Barrier || !copy.open.is_under_way)
        return m_terms.truth(false);
    const auto end = m_ends.find(copy.access.ends_at);
    if (end == m_ends.end())
        return m_terms.truth(false);
    const auto world = [&](Term term, const Side& of) { return of.is_other ? other.of(term) : term; };
    std::vector<Term> any, waited;
    auto wait = m_waits.begin();
    for (const SyncEvent* barrier : m_barriers) {
        if (barrier->moment.place >= second.access.moment.place)
            break;
        for (; wait != m_waits.end() && (*wait)->moment.place < barrier->moment.place; ++wait)
            waited.push_back(has_been_waited_for(copy.access, *end->second, **wait));
        any.push_back(m_terms.both(world(barrier->when, second), world(m_terms.any(waited), copy)));
    }
    return m_terms.any(any);
}

// By some thread of the block, at the iterations at which the copy began.
Term Order::has_been_waited_for(const MemoryAccess& copy, const SyncEvent& end, const SyncEvent& wait) {
    if (end.object != wait.object || wait.moment.loops.size() > copy.moment.loops.size() || !Phases::has_run(wait, {}))
        return m_terms.truth(false);
    std::vector<Term> any, iterations;
    for (std::size_t i = 0; i < wait.moment.loops.size(); ++i)
        iterations.push_back(copy.moment.loops[i].iteration);
    for (Copies& thread : m_counts.some_threads(wait)) {
        AtIterations there(m_terms, thread, wait.moment, iterations);
        any.push_back(m_terms.all({there.exist(), there.of(wait.when), m_terms.equal(there.of(wait.offset), end.offset),
                                   m_terms.less_equal(m_phases.phase_of(end), there.of(m_phases.phase_of(wait)))}));
    }
    return m_terms.any(any);
}

} // namespace hidet::compiler::prove
