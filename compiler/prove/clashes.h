// SPDX-License-Identifier: Apache-2.0
// Whether two accesses of a block that touch one place may do so in any order: of two threads between barriers, of one thread
// that goes on while its copies are under way, and of a copy that does not see what was written before it.
#pragma once

#include "compiler/prove/order.h"

namespace hidet::compiler::prove {

class Clashes {
public:
    // `other`: terms as the thread has them that makes the second access.
    Clashes(Terms& terms, const KernelFacts& facts, Order& order, Copies& other)
        : m_terms(terms), m_facts(facts), m_order(order), m_other(other) {
        std::vector<Term> all;
        for (Term index : facts.thread)
            all.push_back(terms.equal(index, other.of(index)));
        m_one_thread = terms.all(all);
    }

    // What has to hold for that, beside that they happen and touch one place.
    Term between(const OpenAccess& x, const OpenAccess& y);

private:
    const MemoryAccess& access_of(const OpenAccess& open) const { return m_facts.accesses[open.access]; }
    Term of(Term term, bool is_other) { return is_other ? m_other.of(term) : term; }
    Moment moment_of(Moment moment, bool is_other);
    Term is_unordered(const OpenAccess& x, const OpenAccess& y);
    Term are_strangers(const OpenAccess& x, const OpenAccess& y, bool other_makes_first);
    Term in_one_thread(const OpenAccess& x, const OpenAccess& y);
    Term is_missed(const OpenAccess& write, const OpenAccess& later, bool other_writes);
    Term is_seen(const OpenAccess& write, const OpenAccess& later, bool other_writes);
    bool may_be_missed(const OpenAccess& write, const OpenAccess& later) const;

    Terms& m_terms;
    const KernelFacts& m_facts;
    Order& m_order;
    Copies& m_other;
    Term m_one_thread = nullptr;
};

} // namespace hidet::compiler::prove
