// SPDX-License-Identifier: Apache-2.0
// The same elements, row by row, under two shapes.
#pragma once

#include "compiler/graph/core/shape.h"

namespace hidet::graph {

// Where the element at `indices` of a tensor of shape `from` is when its shape is `to`, which has as many elements. What
// the shapes have in common costs nothing: [128, 768] and [1, 128, 12, 64] divide the last index alone.
ir::ExprVec regrouped(const ir::ExprVec& indices, const Shape& from, const Shape& to);

} // namespace hidet::graph
