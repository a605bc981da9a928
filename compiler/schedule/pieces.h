// SPDX-License-Identifier: Apache-2.0
// Loops whose body asks on which side of a constant the loop is, as concatenation and padding do, become a loop for each side: what
// is left neither asks nor chooses, so that compilers make vectors of it.
#pragma once

#include "compiler/ir/func.h"

namespace hidet::graph {

// Innermost loops of known extent alone, where pieces are long enough. For a CPU: threads of a GPU take an element each.
ir::FunctionRef with_loops_in_pieces(const ir::FunctionRef& function);

} // namespace hidet::graph
