// SPDX-License-Identifier: Apache-2.0
// A question to a solver: can all of these conditions hold at once? As SMT-LIB 2 text, which any solver reads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/prove/term.h"

namespace hidet::compiler::prove {

// Takes the text of a question, gives what the solver printed; empty: it gave up.
using Ask = std::function<std::string(const std::string& question)>;

enum class Can : std::uint8_t { No, Yes, Unknown };

struct Answer {
    Can can = Can::Unknown;
    std::map<Term, std::int64_t> example; // Yes: of the symbols
    std::string why;                      // Yes: the example may be none, as a symbol stands for less than any number
};

// "(declare-const n Int) (assert …) (check-sat-using smt) (get-value (n))". `symbols`: those that it has, in that order.
std::string question_text(const std::vector<Term>& conditions, std::vector<Term>& symbols);

// Whether the example may be none depends on the last of the conditions alone: the others hold of every launch.
Answer ask(const Ask& solver, const std::vector<Term>& conditions);

// What the term is in the example; 0 of what the question did not name.
std::int64_t value_in(const Answer& answer, Term term);

} // namespace hidet::compiler::prove
