// SPDX-License-Identifier: Apache-2.0
// What to say where the parser cannot go on.
#pragma once

#include <vector>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

struct Stuck {
    Index at = 0;              // the token that does not fit
    Index line_first = 0;      // the first token of its logical line
    std::vector<Tok> expected; // what would
    std::vector<int> rules;    // of the grammar, innermost first
};

Diagnostic explain(const BuilderState& state, const Stuck& stuck);
Diagnostic explain_missing(const BuilderState& state, Index at, Tok expected);

} // namespace hidet::lang
