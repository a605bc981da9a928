// SPDX-License-Identifier: Apache-2.0
// What follows where two indices are equal that were flattened by a stride which is no constant.
//
// i * n + j and k * n + l are one number only where i = k and j = l, if both j and l are within [0, n). A solver would have to
// find that among products of unknowns, where it mostly gives up; told of it, the products only need to be names.
#pragma once

#include "compiler/prove/term.h"

namespace hidet::compiler::prove {

// A condition that holds of any two numbers; true where there is nothing to tell.
Term flat_index_fact(Terms& terms, Term a, Term b);

} // namespace hidet::compiler::prove
