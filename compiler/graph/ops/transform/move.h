// SPDX-License-Identifier: Apache-2.0
// What operators that move elements share: lists of extents that may be symbolic, an index for an index, and what is read
// where an index may be outside.
#pragma once

#include <functional>
#include <string>

#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/ops/expressions.h"

namespace hidet::graph {

using Source = std::function<Indices(const Indices& axes)>;

// The result at `axes` is the one input at source(axes). `inverse` where each element of the input goes to one place and
// nothing else is made.
Task define_move(const OpCall& call, const std::string& name, const Shape& shape, const Source& source,
                 const Source& inverse = nullptr);

Ints ints_attribute(const OpCall& call, const char* name); // of constants only
// "dims" as axes of a tensor of that rank, each once.
std::vector<std::size_t> axes_attribute(const OpCall& call, const char* name, std::size_t rank);

// x[indices] where the condition holds; where not, no read, and `otherwise`.
ir::ExprRef guarded_read(const ir::VarRef& x, const Indices& indices, const ir::ExprRef& condition,
                         const ir::ExprRef& otherwise);
// What an index from data finds outside of the tensor: NaN, or 0 where the type has none.
ir::ExprRef nothing_of(ir::DType dtype);
// Index from data, with Either counted from the end when negative; `found` gets it as i64 with the condition that it is
// inside.
enum class IndexOrigin : std::uint8_t { Start, Either };
ir::ExprRef with_index(const ir::ExprRef& index, const Dim& extent, IndexOrigin origin,
                       const std::function<ir::ExprRef(const ir::ExprRef& index, const ir::ExprRef& is_inside)>& found);

// The index into `from` of the element that has `index` in `to`: both hold the same elements in row-major order. Runs of
// extents that match are divided for themselves, so that [b, s, 768] to [b, s, 12, 64] leaves b and s alone.
Indices reshaped_index(const Shape& from, const Shape& to, const Indices& index);
// A row-major reshape as a task: checks or requires that both have as many elements.
Task define_reshape(const OpCall& call, const std::string& name, const Shape& to);

std::size_t rank_of(const OpCall& call); // of input 0
bool is_empty(const Shape& shape);       // an extent is the constant 0
// OpError unless input `i` has an integer type.
void want_integers(const OpCall& call, std::size_t input, const char* op);

} // namespace hidet::graph
