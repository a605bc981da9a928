// SPDX-License-Identifier: Apache-2.0
// Python's slices of tensors: start, end and step of some dimensions, where ends may be symbolic.
//
// Constants are clipped to the extent as Python does. What is symbolic is taken to lie inside (x[:, :n] of a table with 1024
// columns has n columns), and the task requires it, so that extents stay simple enough to be compared.
#pragma once

#include "compiler/graph/ops/transform/move.h"

namespace hidet::graph {

struct SlicedDim {
    ir::ExprRef start; // inside of the dimension, unless the extent is 0
    std::int64_t step = 1;
    Dim extent; // of the result
    bool is_whole = false;
};

// One for each dimension of x, from the attributes starts, ends, axes and strides.
std::vector<SlicedDim> sliced_dims(const OpCall& call, TaskBuilder& builder);

} // namespace hidet::graph
