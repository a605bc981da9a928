// SPDX-License-Identifier: Apache-2.0
// What reductions share. Attributes: dims (Ints; empty: all of them), keepdims (bool).
#pragma once

#include <functional>
#include <string>

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

Task define_reduction(const OpCall& call, const std::string& name, ReduceOp op);

// A reduction of term(element) in the type `work`, of which finish(value, number of elements) is the result, in the type
// of the input.
struct MappedReduction {
    ReduceOp op = ReduceOp::Sum;
    ir::DType work = ir::DType::F32;
    std::function<ir::ExprRef(const ir::ExprRef& element)> term;
    std::function<ir::ExprRef(const ir::ExprRef& value, const ir::ExprRef& count)> finish; // may be null
};
Task define_mapped_reduction(const OpCall& call, const std::string& name, const MappedReduction& reduction);

} // namespace hidet::graph
