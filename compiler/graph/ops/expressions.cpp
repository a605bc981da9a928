// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"

#include <limits>

namespace hidet::graph {

using ir::DType;
using ir::IntrinsicId;

Expr number(double value, DType dtype) {
    if (ir::is_float(dtype))
        return ir::float_constant(value, dtype);
    return ir::int_constant(static_cast<std::int64_t>(value), dtype);
}

Expr lowest_of(DType dtype) {
    if (ir::is_float(dtype))
        return ir::float_constant(-std::numeric_limits<double>::infinity(), dtype);
    return ir::int_constant(ir::integer_range(dtype).lowest, dtype);
}

Expr highest_of(DType dtype) {
    if (ir::is_float(dtype))
        return ir::float_constant(std::numeric_limits<double>::infinity(), dtype);
    return ir::int_constant(static_cast<std::int64_t>(ir::integer_range(dtype).highest), dtype);
}

Expr pow_of(const Expr& x, const Expr& exponent) {
    return ir::math(IntrinsicId::Pow, {x, exponent});
}

Expr is_nan(const Expr& x) {
    const auto dtype = ir::scalar_of(x->type);
    return dtype && ir::is_float(*dtype) ? ir::math(IntrinsicId::IsNan, {x}) : ir::bool_constant(false);
}

Expr larger_of(const Expr& a, const Expr& b) {
    return ir::select(ir::logical_or(ir::less(b, a), is_nan(a)), a, b);
}

Expr smaller_of(const Expr& a, const Expr& b) {
    return ir::select(ir::logical_or(ir::less(a, b), is_nan(a)), a, b);
}

Expr max_index(const Expr& a, const Expr& b) {
    return ir::math(IntrinsicId::Max, {a, b});
}

Expr min_index(const Expr& a, const Expr& b) {
    return ir::math(IntrinsicId::Min, {a, b});
}

Expr ceil_div(const Expr& a, const Expr& b) {
    if (ir::is_constant(b, 1))
        return a;
    return ir::floor_div(ir::add(a, ir::sub(b, dim(1))), b);
}

Expr is_inside(const Expr& index, const Expr& extent) {
    return ir::logical_and(ir::less_equal(dim(0), index), ir::less(index, extent));
}

Expr all_of(const ir::ExprVec& conditions) {
    Expr all = ir::bool_constant(true);
    for (std::size_t i = 0; i < conditions.size(); ++i)
        all = i == 0 ? conditions[0] : ir::logical_and(all, conditions[i]);
    return all;
}

Expr clamped_index(const Expr& index, const Expr& extent) {
    return max_index(dim(0), min_index(index, ir::sub(extent, dim(1))));
}

std::size_t axis_attribute(const OpCall& call, const char* name, std::size_t rank) {
    return static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>(name), rank, name));
}

DType float_type_for(DType dtype) {
    if (ir::is_float(dtype))
        return dtype == DType::F64 ? DType::F64 : DType::F32;
    return ir::info(dtype).bits > 16 ? DType::F64 : DType::F32;
}

} // namespace hidet::graph
