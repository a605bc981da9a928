// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/values.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

using ir::DType;
using ir::ExprRef;
using ir::IntrinsicId;

DType scalar_dtype(const ExprRef& scalar) {
    const auto dtype = ir::scalar_of(scalar->type);
    HIDET_CHECK(dtype);
    return *dtype;
}

ExprRef number(double value, const ExprRef& like) {
    const DType dtype = scalar_dtype(like);
    return ir::cast_to(ir::float_constant(value, ir::is_float(dtype) ? dtype : DType::F64), dtype);
}

ExprRef shared(const ExprRef& value, const Unary& body) {
    if (value->kind == ir::Kind::Var || value->kind == ir::Kind::Constant)
        return body(value);
    const ir::VarRef var = ir::make_var("v", value->type);
    return ir::make_let(var, value, body(var));
}

ExprRef as_float(const ExprRef& x) {
    return ir::is_integer(scalar_dtype(x)) ? ir::cast_to(x, DType::F32) : x;
}

ExprRef float_math(IntrinsicId id, const ExprRef& x) {
    return ir::math(id, {as_float(x)});
}

ExprRef in_wide(const ExprRef& x, const Unary& formula) {
    const ExprRef value = as_float(x);
    const DType dtype = scalar_dtype(value);
    return shared(ir::cast_to(value, accumulator_of(dtype)),
                  [&](const ExprRef& wide) { return ir::cast_to(formula(wide), dtype); });
}

static ExprRef is_nan(const ExprRef& x) {
    return ir::is_float(scalar_dtype(x)) ? ir::math(IntrinsicId::IsNan, {x}) : ir::bool_constant(false);
}

ExprRef larger(const ExprRef& a, const ExprRef& b) {
    return ir::select(ir::logical_or(ir::less(b, a), is_nan(a)), a, b);
}

ExprRef smaller(const ExprRef& a, const ExprRef& b) {
    return ir::select(ir::logical_or(ir::less(a, b), is_nan(a)), a, b);
}

ExprRef clamped(const ExprRef& x, const ExprRef& low, const ExprRef& high) {
    return shared(ir::select(ir::less(x, low), low, x),
                  [&](const ExprRef& raised) { return ir::select(ir::less(high, raised), high, raised); });
}

// floor(x) or one more: the nearer one, of two equally near ones the even one. Floats that have no fraction, infinities and
// NaN come out as they are, because their floor is themselves or the comparisons are false.
ExprRef half_to_even(const ExprRef& x) {
    if (ir::is_integer(scalar_dtype(x)))
        return x;
    return shared(ir::math(IntrinsicId::Floor, {x}), [&](const ExprRef& floor) {
        return shared(ir::sub(x, floor), [&](const ExprRef& fraction) {
            const ExprRef half = ir::mul(floor, number(0.5, x));
            const ExprRef is_odd = ir::not_equal(ir::math(IntrinsicId::Floor, {half}), half);
            const ExprRef goes_up = ir::logical_or(ir::less(number(0.5, x), fraction),
                                                   ir::logical_and(ir::equal(fraction, number(0.5, x)), is_odd));
            const ExprRef whole = ir::select(goes_up, ir::add(floor, number(1, x)), floor);
            // What is between -0.5 and -0 is a zero with its sign.
            return ir::select(ir::equal(whole, number(0, x)), ir::mul(x, number(0, x)), whole);
        });
    });
}

static ExprRef guarded(const ExprRef& divisor, const std::function<ExprRef(const ExprRef& divisor)>& divided) {
    const bool is_safe =
        !ir::is_integer(scalar_dtype(divisor)) || (ir::constant_int(divisor) && !ir::is_constant(divisor, 0));
    if (is_safe)
        return divided(divisor);
    return shared(divisor, [&](const ExprRef& by) {
        const ExprRef result = divided(by);
        return ir::select(ir::equal(by, number(0, by)), number(0, result), result);
    });
}

static ExprRef divide(ir::BinOp op, const ExprRef& a, const ExprRef& b) {
    const auto dtype = ir::promote(scalar_dtype(a), scalar_dtype(b));
    const ExprRef by = dtype ? ir::cast_to(b, *dtype) : b;
    return guarded(by, [&](const ExprRef& divisor) { return ir::binary(op, a, divisor); });
}

ExprRef quotient(const ExprRef& a, const ExprRef& b) {
    return divide(ir::BinOp::Div, a, b);
}

ExprRef floor_quotient(const ExprRef& a, const ExprRef& b) {
    return divide(ir::BinOp::FloorDiv, a, b);
}

ExprRef remainder(const ExprRef& a, const ExprRef& b, ir::BinOp op) {
    return divide(op, a, b);
}

ExprRef scalar_operand(const Attribute& attribute, DType dtype) {
    if (const auto* real = std::get_if<double>(&attribute))
        return ir::float_constant(*real, ir::is_float(dtype) ? dtype : DType::F32);
    const auto* whole = std::get_if<std::int64_t>(&attribute);
    const auto* truth = std::get_if<bool>(&attribute);
    HIDET_CHECK(whole || truth);
    const std::int64_t value = whole ? *whole : static_cast<std::int64_t>(*truth);
    if (dtype == DType::Bool)
        return truth ? ir::bool_constant(*truth) : ir::int_constant(value, DType::I64);
    return ir::is_integer(dtype) ? ir::int_constant(value, dtype)
                                 : ir::float_constant(static_cast<double>(value), dtype);
}

double number_attribute(const Attributes& attributes, std::string_view name) {
    const Attribute* found = attributes.find(name);
    if (const auto* whole = found ? std::get_if<std::int64_t>(found) : nullptr)
        return static_cast<double>(*whole);
    return attributes.get<double>(name);
}

} // namespace hidet::graph
