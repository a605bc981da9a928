// SPDX-License-Identifier: Apache-2.0
// What element-wise operators share: one expression on the elements at an index, broadcasting, inverse maps. The elements
// are handed to it as variables; those that it reads more than once stay variables (of a Let), so that a chain of operators
// is as long as its operators and no longer.
//
// Pieces of the expressions: constants in an operand's type, a value that is read twice, the type to compute in.
#pragma once

#include <functional>
#include <string>

#include "compiler/graph/ops/expressions.h"

namespace hidet::graph {

using Unary = std::function<ir::ExprRef(const ir::ExprRef& x)>;

ir::DType scalar_dtype(const ir::ExprRef& scalar);

// A number in the type of `like`; where that is an integer type, the nearest one toward zero that it holds.
ir::ExprRef number(double value, const ir::ExprRef& like);

// `value` for a body that reads it more than once.
ir::ExprRef shared(const ir::ExprRef& value, const Unary& body);

// Functions that only floats have take integers as f32.
ir::ExprRef as_float(const ir::ExprRef& x);
ir::ExprRef float_math(ir::IntrinsicId id, const ir::ExprRef& x);
// A formula of several steps: computed in f32 for the short floats, rounded once at the end.
ir::ExprRef in_wide(const ir::ExprRef& x, const Unary& formula);

// Of a float: x * sigmoid(x), and x times the normal distribution's function approximated by tanh.
ir::ExprRef silu_of(const ir::ExprRef& x);
ir::ExprRef gelu_by_tanh_of(const ir::ExprRef& x);

// min(max(x, low), high); NaN stays.
ir::ExprRef clamped(const ir::ExprRef& x, const ir::ExprRef& low, const ir::ExprRef& high);
ir::ExprRef half_to_even(const ir::ExprRef& x);
// Integer division and remainder by zero give 0, as in NumPy; so no kernel fails on it.
ir::ExprRef quotient(const ir::ExprRef& a, const ir::ExprRef& b);
ir::ExprRef floor_quotient(const ir::ExprRef& a, const ir::ExprRef& b);
ir::ExprRef remainder(const ir::ExprRef& a, const ir::ExprRef& b, ir::BinOp op); // Mod or FloorMod

// An attribute that is a bool, an integer or a float, as an operand of a tensor of `dtype`: a float makes integers f32.
ir::ExprRef scalar_operand(const Attribute& attribute, ir::DType dtype);

using Binary = std::function<ir::ExprRef(const ir::ExprRef&, const ir::ExprRef&)>;
using Variadic = std::function<ir::ExprRef(const ir::ExprVec&)>;

// The result has the dtype of the expression.
Task define_unary(const OpCall& call, const std::string& name, const Unary& value);
// OpError unless the shapes broadcast. dtypes are promoted as the expression does.
Task define_binary(const OpCall& call, const std::string& name, const Binary& value);
Task define_pointwise(const OpCall& call, const std::string& name, const Variadic& value);

// A run checks the extents of an operand that were taken to be those of the result.
void require_broadcast(TaskBuilder& builder, const Shape& operand, const Shape& result, const std::string& name);

} // namespace hidet::graph
