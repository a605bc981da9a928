// SPDX-License-Identifier: Apache-2.0
// A term as another thread has it: what differs between threads (or between blocks, too) is another symbol.
#pragma once

#include <unordered_map>

#include "compiler/prove/term.h"

namespace hidet::compiler::prove {

class Copies {
public:
    // `least`: from where on symbols are copied; Same::InThread for another thread of the block, Same::InBlock for one of
    // another block.
    Copies(Terms& terms, Same least) : m_terms(terms), m_least(least) {}
    // The same thread at another iteration of a loop: what the loop made from `first` on, in the order of terms, is another
    // symbol.
    Copies(Terms& terms, Same least, int first) : m_terms(terms), m_least(least), m_first(first) {}
    void replace(Term symbol, Term by); // before anything is copied
    Term of(Term term);

private:
    Term copied(Term term);

    Terms& m_terms;
    Same m_least;
    int m_first = 0;
    int m_first_replaced = -1; // -1: nothing is
    std::unordered_map<Term, Term> m_known;
};

} // namespace hidet::compiler::prove
