// SPDX-License-Identifier: Apache-2.0
// Expressions that compute definitions are made of: constants of a type, mathematics, comparisons of indices.
#pragma once

#include "compiler/graph/core/op.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

using Expr = ir::ExprRef;

Expr number(double value, ir::DType dtype); // converted to the type
Expr lowest_of(ir::DType dtype);            // minus infinity, or the least integer
Expr highest_of(ir::DType dtype);

template <ir::IntrinsicId id>
Expr math_of(const Expr& x) {
    return ir::math(id, {x});
}
inline constexpr auto& abs_of = math_of<ir::IntrinsicId::Abs>;
inline constexpr auto& exp_of = math_of<ir::IntrinsicId::Exp>;
inline constexpr auto& log_of = math_of<ir::IntrinsicId::Log>;
inline constexpr auto& sqrt_of = math_of<ir::IntrinsicId::Sqrt>;
inline constexpr auto& floor_of = math_of<ir::IntrinsicId::Floor>;
inline constexpr auto& ceil_of = math_of<ir::IntrinsicId::Ceil>;
inline constexpr auto& cos_of = math_of<ir::IntrinsicId::Cos>;
inline constexpr auto& sin_of = math_of<ir::IntrinsicId::Sin>;
Expr pow_of(const Expr& x, const Expr& exponent);
Expr is_nan(const Expr& x);                   // false for what is no float
Expr larger_of(const Expr& a, const Expr& b); // a NaN on either side wins; operands are read more than once
Expr smaller_of(const Expr& a, const Expr& b);

// Of integers: no NaN to care for.
Expr max_index(const Expr& a, const Expr& b);
Expr min_index(const Expr& a, const Expr& b);
Expr ceil_div(const Expr& a, const Expr& b);
Expr is_inside(const Expr& index, const Expr& extent); // 0 <= index < extent
Expr all_of(const ir::ExprVec& conditions);            // in order, as far as needed
Expr clamped_index(const Expr& index, const Expr& extent);

// An attribute that is an axis of a tensor of that rank.
std::size_t axis_attribute(const OpCall& call, const char* name, std::size_t rank);

// What a computation on elements of a type that is no float is done in.
ir::DType float_type_for(ir::DType dtype); // f32; f64 for f64 and integers that f32 does not hold

} // namespace hidet::graph
