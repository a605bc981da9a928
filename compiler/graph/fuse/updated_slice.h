// SPDX-License-Identifier: Apache-2.0
// A kernel that walks over a whole tensor in order to change one slice of it walks over that slice alone: writing a token into
// a cache takes what the token takes, and not what the cache does.
#pragma once

#include "compiler/graph/core/graph.h"
#include "compiler/ir/func.h"

namespace hidet::graph {

// Needs a kernel, one of the module's functions, that stores to its parameter y once, whose shape is this, and where a condition holds: that the
// index of a dimension is a value which is the same everywhere, or, negative, counts from the end. Its threads, or the units
// of its loop, then number the elements of that slice; the module's launches are as many as that takes. Nothing happens where
// the kernel is of another form, or an extent is unknown.
void walk_over_updated_slice(ir::Module& module, ir::FunctionRef& kernel, const ir::Var& y, const Shape& shape);

} // namespace hidet::graph
