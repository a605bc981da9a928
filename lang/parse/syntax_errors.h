// SPDX-License-Identifier: Apache-2.0
// What to say where the parser cannot go on.
#pragma once

#include <vector>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

// The grammar's rules that a message depends on.
enum class Place : std::uint8_t {
    Other,
    Condition, // of if, while, elif, assert
    Loop,      // the head of a for
    Parameters,
    Handler,
    With,
    Decorated,
    Clause, // of a comprehension
};

struct Stuck {
    Index at = 0;              // the token that does not fit
    Index line_first = 0;      // the first token of its logical line
    std::vector<Tok> expected; // what would
    std::vector<Place> places; // innermost first
};

Diagnostic explain(const BuilderState& state, const Stuck& stuck);

} // namespace hidet::lang
