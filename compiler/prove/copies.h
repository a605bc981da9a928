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
    Term of(Term term);

private:
    Term copied(Term term);

    Terms& m_terms;
    Same m_least;
    std::unordered_map<Term, Term> m_known;
};

} // namespace hidet::compiler::prove
