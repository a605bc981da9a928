// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/fold.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/intrinsic.h"
#include "lang/base/numeric.h"

namespace hidet::ir {

static const std::int64_t* integer_in(const ExprRef& expr) {
    const auto* constant = as<Constant>(expr);
    return constant && constant->type->kind == Kind::DataType ? std::get_if<std::int64_t>(&constant->value) : nullptr;
}

static const double* float_in(const ExprRef& expr) {
    const auto* constant = as<Constant>(expr);
    return constant ? std::get_if<double>(&constant->value) : nullptr;
}

ExprRef fold_unary(UnOp op, DType dtype, const ExprRef& a) {
    if (const std::int64_t* value = integer_in(a)) {
        auto bits = static_cast<std::uint64_t>(*value);
        if (op == UnOp::Not)
            return bool_constant(*value == 0);
        return int_constant(static_cast<std::int64_t>(op == UnOp::Neg ? 0 - bits : ~bits), dtype);
    }
    if (const double* value = float_in(a); value && op == UnOp::Neg)
        return float_constant(-*value, dtype);
    return nullptr;
}

template <class T>
static ExprRef compare(BinOp op, T a, T b) {
    switch (op) {
    case BinOp::Lt: return bool_constant(a < b);
    case BinOp::Le: return bool_constant(a <= b);
    case BinOp::Eq: return bool_constant(a == b);
    case BinOp::Ne: return bool_constant(a != b);
    default: return nullptr;
    }
}

// Division in the signedness of the type; narrow types fit into 64 bits, so the result only needs wrapping.
template <class T>
static ExprRef fold_division(BinOp op, DType dtype, T a, T b) {
    if (b == 0)
        return nullptr;
    T result = op == BinOp::Div        ? truncating_div(a, b)
               : op == BinOp::Mod      ? truncating_mod(a, b)
               : op == BinOp::FloorDiv ? floor_div_int(a, b)
                                       : floor_mod_int(a, b);
    return int_constant(static_cast<std::int64_t>(result), dtype);
}

static ExprRef fold_shift(BinOp op, DType dtype, std::int64_t value, std::int64_t count) {
    if (count < 0 || count >= info(dtype).bits)
        return nullptr;
    auto bits = static_cast<std::uint64_t>(value);
    if (op == BinOp::Shl)
        return int_constant(static_cast<std::int64_t>(bits << count), dtype);
    return int_constant(is_signed(dtype) ? value >> count : static_cast<std::int64_t>(bits >> count), dtype);
}

static ExprRef fold_integers(BinOp op, DType dtype, std::int64_t a, std::int64_t b) {
    auto x = static_cast<std::uint64_t>(a);
    auto y = static_cast<std::uint64_t>(b);
    auto wrapped = [&](std::uint64_t bits) { return int_constant(static_cast<std::int64_t>(bits), dtype); };
    switch (op) {
    case BinOp::Add: return wrapped(x + y);
    case BinOp::Sub: return wrapped(x - y);
    case BinOp::Mul: return wrapped(x * y);
    case BinOp::BitAnd: return wrapped(x & y);
    case BinOp::BitOr: return wrapped(x | y);
    case BinOp::BitXor: return wrapped(x ^ y);
    case BinOp::And: return bool_constant(a && b);
    case BinOp::Or: return bool_constant(a || b);
    case BinOp::Shl:
    case BinOp::Shr: return fold_shift(op, dtype, a, b);
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return is_signed(dtype) ? fold_division(op, dtype, a, b) : fold_division(op, dtype, x, y);
    default: return is_signed(dtype) ? compare(op, a, b) : compare(op, x, y);
    }
}

template <class T>
static ExprRef fold_floats(BinOp op, DType dtype, T a, T b) {
    auto rounded = [&](T value) { return float_constant(static_cast<double>(value), dtype); };
    bool is_division = op == BinOp::Div || op == BinOp::Mod || op == BinOp::FloorDiv || op == BinOp::FloorMod;
    if (is_division && b == T(0))
        return nullptr;
    switch (op) {
    case BinOp::Add: return rounded(a + b);
    case BinOp::Sub: return rounded(a - b);
    case BinOp::Mul: return rounded(a * b);
    case BinOp::Div: return rounded(a / b);
    case BinOp::Mod: return rounded(std::fmod(a, b));
    case BinOp::FloorDiv: return rounded(floor_div_float(a, b));
    case BinOp::FloorMod: return rounded(floor_mod_float(a, b));
    default: return compare(op, a, b);
    }
}

ExprRef fold_binary(BinOp op, DType dtype, const ExprRef& a, const ExprRef& b) {
    const std::int64_t* i = integer_in(a);
    const std::int64_t* j = integer_in(b);
    if (i && j)
        return fold_integers(op, dtype, *i, *j);
    const double* x = float_in(a);
    const double* y = float_in(b);
    if (!x || !y)
        return nullptr;
    if (dtype == DType::F64)
        return fold_floats(op, dtype, *x, *y);
    return fold_floats(op, dtype, static_cast<float>(*x), static_cast<float>(*y));
}

static std::int64_t to_integer(double value, DType to) {
    if (to == DType::Bool)
        return value != 0; // NaN is not zero
    if (to == DType::U64)
        return static_cast<std::int64_t>(float_to_int<std::uint64_t>(value));
    IntegerRange range = integer_range(to);
    return std::clamp(float_to_int<std::int64_t>(value), range.lowest, static_cast<std::int64_t>(range.highest));
}

// An integer goes to the short float types through f32, as the hardware's conversions do.
static double to_float(std::int64_t value, DType from, DType to) {
    bool is_wide = from == DType::U64;
    if (to == DType::F64)
        return is_wide ? static_cast<double>(static_cast<std::uint64_t>(value)) : static_cast<double>(value);
    return is_wide ? static_cast<float>(static_cast<std::uint64_t>(value)) : static_cast<float>(value);
}

ExprRef fold_cast(const ExprRef& value, DType to) {
    auto from = scalar_of(value->type);
    if (!from)
        return nullptr;
    bool to_int = is_integer(to) || is_subbyte(to);
    if (const std::int64_t* integer = integer_in(value)) {
        if (to_int)
            return int_constant(*integer, to);
        return is_float(to) ? float_constant(to_float(*integer, *from, to), to) : nullptr;
    }
    if (const double* number = float_in(value)) {
        if (to_int)
            return int_constant(to_integer(*number, to), to);
        return is_float(to) ? float_constant(*number, to) : nullptr;
    }
    return nullptr;
}

static ExprRef fold_math_integers(IntrinsicId id, DType dtype, const std::vector<std::int64_t>& values) {
    auto is_less = [&](std::int64_t a, std::int64_t b) {
        return is_signed(dtype) ? a < b : static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
    };
    switch (id) {
    case IntrinsicId::Min: return int_constant(is_less(values[1], values[0]) ? values[1] : values[0], dtype);
    case IntrinsicId::Max: return int_constant(is_less(values[0], values[1]) ? values[1] : values[0], dtype);
    case IntrinsicId::Abs:
        return is_signed(dtype) && values[0] < 0
                   ? int_constant(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(values[0])), dtype)
                   : int_constant(values[0], dtype);
    default: return nullptr;
    }
}

static ExprRef fold_math_floats(IntrinsicId id, DType dtype, const std::vector<double>& values) {
    double a = values[0];
    switch (id) {
    case IntrinsicId::Abs: return float_constant(std::fabs(a), dtype);
    case IntrinsicId::Floor: return float_constant(std::floor(a), dtype);
    case IntrinsicId::Ceil: return float_constant(std::ceil(a), dtype);
    case IntrinsicId::Trunc: return float_constant(std::trunc(a), dtype);
    case IntrinsicId::IsNan: return bool_constant(std::isnan(a));
    case IntrinsicId::IsInf: return bool_constant(std::isinf(a));
    case IntrinsicId::IsFinite: return bool_constant(std::isfinite(a));
    case IntrinsicId::Min:
    case IntrinsicId::Max:
        if (std::isnan(a) || std::isnan(values[1]) || a == values[1]) // equal zeros may differ in sign
            return nullptr;
        return float_constant(id == IntrinsicId::Min ? std::min(a, values[1]) : std::max(a, values[1]), dtype);
    default: return nullptr;
    }
}

ExprRef fold_math(IntrinsicId id, DType dtype, const ExprVec& args) {
    std::vector<std::int64_t> integers;
    std::vector<double> numbers;
    for (const ExprRef& arg : args) {
        if (const std::int64_t* value = integer_in(arg))
            integers.push_back(*value);
        else if (const double* number = float_in(arg))
            numbers.push_back(*number);
        else
            return nullptr;
    }
    if (integers.size() == args.size() && !args.empty())
        return fold_math_integers(id, dtype, integers);
    if (numbers.size() == args.size() && !args.empty())
        return fold_math_floats(id, dtype, numbers);
    return nullptr;
}

} // namespace hidet::ir
