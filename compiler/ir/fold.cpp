// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/fold.h"

#include <cmath>

#include "compiler/ir/intrinsic.h"

namespace hidet::ir {

namespace {

std::optional<ScalarValue> value_of(const ExprRef& expr) {
    const auto* constant = as<Constant>(expr);
    if (!constant || constant->type->kind != Kind::DataType)
        return std::nullopt;
    if (const auto* integer = std::get_if<std::int64_t>(&constant->value))
        return ScalarValue{.i = *integer};
    const auto* number = std::get_if<double>(&constant->value);
    return number ? std::optional(ScalarValue{.d = *number}) : std::nullopt;
}

ExprRef constant_of(ScalarOp op, DType dtype, ScalarValue value) {
    if (info(op).gives == ScalarGives::Bool)
        return bool_constant(value.i != 0);
    return is_float(dtype) ? float_constant(value.d, dtype) : int_constant(value.i, dtype);
}

bool is_left_to_run_time(ScalarOp op, DType dtype, ScalarValue a, ScalarValue b) {
    switch (op) {
    case ScalarOp::Div:
    case ScalarOp::Mod:
    case ScalarOp::FloorDiv:
    case ScalarOp::FloorMod: return is_float(dtype) ? b.d == 0 : b.i == 0;
    case ScalarOp::Shl:
    case ScalarOp::Shr: return b.i < 0 || b.i >= info(dtype).bits;
    case ScalarOp::Min:
    case ScalarOp::Max: return is_float(dtype) && a.d == 0 && b.d == 0 && std::signbit(a.d) != std::signbit(b.d);
    default: return info(op).bits != ScalarBits::Exact;
    }
}

} // namespace

std::optional<ScalarValue> fold_values(ScalarOp op, DType dtype, ScalarValue a, ScalarValue b) {
    if (!takes(op, dtype) || info(op).operands > 2 || is_left_to_run_time(op, dtype, a, b))
        return std::nullopt;
    return apply(op, dtype, a, b);
}

static ExprRef fold(ScalarOp op, DType dtype, const ExprRef& a, const ExprRef& b) {
    const auto x = value_of(a);
    const auto y = value_of(b);
    if (!x || !y)
        return nullptr;
    const auto folded = fold_values(op, dtype, *x, *y);
    return folded ? constant_of(op, dtype, *folded) : nullptr;
}

bool is_unsigned_only(const ExprRef& expr) {
    const auto whole = scalar_of(expr->type) == DType::U64 ? constant_int(expr) : std::nullopt;
    return whole && *whole < 0; // its bits
}

std::optional<std::strong_ordering> order_of_constants(const ExprRef& a, const ExprRef& b) {
    const auto left = scalar_of(a->type), right = scalar_of(b->type);
    const auto x = constant_int(a), y = constant_int(b);
    if (!left || !right || !is_integer(*left) || !is_integer(*right) || !x || !y)
        return std::nullopt;
    if (is_unsigned_only(a) != is_unsigned_only(b))
        return is_unsigned_only(a) ? std::strong_ordering::greater : std::strong_ordering::less;
    return *x <=> *y; // of two from 2**63 on the bits have the same order
}

ExprRef fold_unary(UnOp op, DType dtype, const ExprRef& a) {
    return fold(scalar_op(op), dtype, a, a);
}

ExprRef fold_binary(BinOp op, DType dtype, const ExprRef& a, const ExprRef& b) {
    return fold(scalar_op(op), dtype, a, b);
}

ExprRef fold_math(IntrinsicId id, DType dtype, const ExprVec& args) {
    const auto op = scalar_op(id);
    return op && info(*op).operands <= 2 ? fold(*op, dtype, args.front(), args.back()) : nullptr;
}

ExprRef fold_cast(const ExprRef& value, DType to) {
    const auto from = scalar_of(value->type);
    const auto x = value_of(value);
    const auto is_number = [](DType dtype) { return is_integer(dtype) || is_subbyte(dtype) || is_float(dtype); };
    if (!from || !x || !is_number(*from) || !is_number(to))
        return nullptr;
    const ScalarValue result = converted(*x, *from, to);
    return is_float(to) ? float_constant(result.d, to) : int_constant(result.i, to);
}

} // namespace hidet::ir
