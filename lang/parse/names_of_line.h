// SPDX-License-Identifier: Apache-2.0
// The names that a line binds although it cannot be read: `from m import a, b,`, `x =`, `for i on n:`. Uses of them are no
// mistakes of their own.
#pragma once

#include <vector>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

// Of the statement that begins with the first of the tokens; each is the index of a name.
std::vector<Index> names_of_line(const BuilderState& state, Extent tokens);

} // namespace hidet::lang
