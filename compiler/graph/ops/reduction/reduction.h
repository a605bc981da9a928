// SPDX-License-Identifier: Apache-2.0
// What reductions share. Attributes: dims (Ints; empty: all of them), keepdims (bool).
#pragma once

#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

struct ReducedShape {
    std::vector<bool> is_reduced; // by dimension of the input
    Shape extents;                // of those
    Shape shape;                  // of the result
    bool keepdims = false;
};
ReducedShape reduced_shape(const OpCall& call); // OpError: an axis out of range or named twice
ReducedShape reduced_shape(const Shape& input, const Ints& dims, bool keepdims);

// The index into the input, from one into the result and one over the reduced dimensions.
Indices input_index(const ReducedShape& reduced, const Indices& result, const Indices& over);
// The index into the result, kept dimensions and all, from one into the input.
Indices result_index(const ReducedShape& reduced, const Indices& input);

} // namespace hidet::graph
