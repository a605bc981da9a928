// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/clashes.h"

namespace hidet::compiler::prove {

namespace {

constexpr std::int64_t warp_group = 128;

// What the thread writes to a row of a matrix its neighbours read, and the other way round.
bool is_between_lanes(const MemoryAccess& a, const MemoryAccess& b) {
    return (b.is_by_warp && a.does == Does::Writes && b.does == Does::Reads) ||
           (a.is_by_warp && a.does == Does::Reads && b.does == Does::Writes);
}

} // namespace

Moment Clashes::moment_of(Moment moment, bool is_other) {
    for (Moment::Around& around : moment.loops)
        around.iteration = of(around.iteration, is_other);
    return moment;
}

Term Clashes::between(const OpenAccess& x, const OpenAccess& y) {
    Term out = m_terms.any({is_unordered(x, y), is_missed(x, y, false), is_missed(y, x, true)});
    if (x.when)
        out = m_terms.both(out, x.when);
    return y.when ? m_terms.both(out, m_other.of(y.when)) : out;
}

// ---- order ----------------------------------------------------------------------------------------------------------------

Term Clashes::is_unordered(const OpenAccess& x, const OpenAccess& y) {
    if (x.is_unfenced || y.is_unfenced)
        return m_terms.truth(false);
    Term out = m_terms.either(are_strangers(x, y, false), m_terms.both(m_one_thread, in_one_thread(x, y)));
    if (is_between_lanes(access_of(x), access_of(y)))
        out = m_terms.truth(true);
    return is_false(out) ? out : m_terms.both(out, m_terms.negate(m_order.is_ordered(x, y, m_other)));
}

// Two threads that know of each other's accesses by what orders them alone. A product is of a warp group: who of it has waited
// knows that it is done, and for other groups its first thread stands for all.
Term Clashes::are_strangers(const OpenAccess& x, const OpenAccess& y, bool other_makes_first) {
    Term out = m_terms.negate(m_one_thread);
    const Term thread = linear_thread(m_terms, m_facts), threads = m_terms.constant(warp_group);
    const Term group = m_terms.quotient(thread, threads), number = m_terms.remainder(thread, threads);
    const Term one_group = m_terms.equal(group, m_other.of(group));
    for (const bool is_first : {true, false}) {
        const OpenAccess &product = is_first ? x : y, &other = is_first ? y : x;
        const bool is_of_other = is_first == other_makes_first;
        if (access_of(product).ends_by != EndsBy::Product)
            continue;
        const Term is_done = product.is_under_way ? m_terms.truth(false)
                                                  : is_before(m_terms, moment_of(*product.waited, is_of_other),
                                                              moment_of(access_of(other).moment, !is_of_other));
        out = m_terms.both(out, m_terms.choose(one_group, m_terms.negate(is_done),
                                               m_terms.equal(of(number, is_of_other), m_terms.constant(0))));
    }
    return out;
}

// What it began earlier is still under way.
Term Clashes::in_one_thread(const OpenAccess& x, const OpenAccess& y) {
    const Moment &first = access_of(x).moment, second = moment_of(access_of(y).moment, true);
    std::vector<Term> any;
    if (access_of(x).ends_by != EndsBy::Itself)
        any.push_back(m_terms.both(is_before(m_terms, first, second),
                                   x.is_under_way ? m_terms.truth(true) : is_before(m_terms, second, *x.waited)));
    if (access_of(y).ends_by != EndsBy::Itself)
        any.push_back(
            m_terms.both(is_before(m_terms, second, first),
                         y.is_under_way ? m_terms.truth(true) : is_before(m_terms, first, moment_of(*y.waited, true))));
    return m_terms.any(any);
}

// ---- fences ---------------------------------------------------------------------------------------------------------------

// The later one goes another way to memory than a plain write.
bool Clashes::may_be_missed(const OpenAccess& write, const OpenAccess& later) const {
    const MemoryAccess& access = access_of(write);
    return access.does != Does::Reads && access.ends_by == EndsBy::Itself && !access.is_of_barrier &&
           access_of(later).ends_by > EndsBy::CopyGroup && !later.is_unfenced &&
           m_facts.objects[static_cast<std::size_t>(access.place.object)].space == Space::Shared;
}

Term Clashes::is_missed(const OpenAccess& write, const OpenAccess& later, bool other_writes) {
    if (!may_be_missed(write, later))
        return m_terms.truth(false);
    const Term comes_later = is_before(m_terms, moment_of(access_of(write).moment, other_writes),
                                       moment_of(access_of(later).moment, !other_writes));
    return m_terms.all(
        {m_terms.negate(is_seen(write, later, other_writes)),
         m_terms.either(are_strangers(write, later, other_writes), m_terms.both(m_one_thread, comes_later)),
         m_terms.negate(m_order.is_first(later, !other_writes, write, m_other))});
}

// By a fence of who wrote, before what orders the two, or of who reads, behind that.
Term Clashes::is_seen(const OpenAccess& write, const OpenAccess& later, bool other_writes) {
    const Moment then = moment_of(access_of(later).moment, !other_writes);
    std::vector<Term> any;
    if (write.fenced && write.is_unfenced) {
        any.push_back(of(write.fenced, other_writes));
    } else if (write.fenced) {
        const Term is_between = is_before(m_terms, moment_of(*write.fenced_at, other_writes), then);
        const Term is_ordered = m_order.is_fenced_before(write, later, other_writes, m_other);
        any.push_back(m_terms.both(of(write.fenced, other_writes),
                                   m_terms.either(m_terms.both(m_one_thread, is_between), is_ordered)));
    }
    if (write.fenced_later)
        any.push_back(m_terms.both(of(write.fenced_later, !other_writes),
                                   is_before(m_terms, moment_of(*write.fenced_later_at, !other_writes), then)));
    return m_terms.any(any);
}

} // namespace hidet::compiler::prove
