// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "runtime/package/expression.h"

namespace hidet::package {

namespace {

constexpr ExprValue no_value;

ExprValue known(std::int64_t value) {
    return {value, true};
}
ExprValue known(double real) {
    ExprValue out{0, true};
    std::memcpy(&out.value, &real, sizeof real);
    return out;
}
double real_of(std::int64_t word) {
    double real = 0;
    std::memcpy(&real, &word, sizeof real);
    return real;
}

ExprValue divided(ExprOp op, std::int64_t a, std::int64_t b) {
    if (b == 0)
        return no_value;
    const bool is_rest = op == ExprOp::Mod || op == ExprOp::FloorMod;
    if (b == -1 && a == INT64_MIN)
        return is_rest ? known(std::int64_t{0}) : no_value;
    const bool is_exact = a % b == 0;
    const bool is_negative = (a < 0) != (b < 0); // division of C goes towards zero
    switch (op) {
    case ExprOp::Div: return known(a / b);
    case ExprOp::Mod: return known(a % b);
    case ExprOp::FloorDiv: return known(a / b - (!is_exact && is_negative));
    case ExprOp::CeilDiv: return known(a / b + (!is_exact && !is_negative));
    default: return known(a % b + (!is_exact && is_negative ? b : 0));
    }
}

ExprValue multiplied(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) ? no_value : known(out);
}

ExprValue shifted_left(std::int64_t a, std::int64_t b) {
    if (b < 0 || (a != 0 && b > 62))
        return no_value;
    return a == 0 ? known(a) : multiplied(a, std::int64_t{1} << b);
}

ExprValue combined(ExprOp op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    switch (op) {
    case ExprOp::Add: return __builtin_add_overflow(a, b, &out) ? no_value : known(out);
    case ExprOp::Sub: return __builtin_sub_overflow(a, b, &out) ? no_value : known(out);
    case ExprOp::Mul: return multiplied(a, b);
    case ExprOp::Min: return known(a < b ? a : b);
    case ExprOp::Max: return known(a < b ? b : a);
    case ExprOp::Lt: return known(std::int64_t{a < b});
    case ExprOp::Le: return known(std::int64_t{a <= b});
    case ExprOp::Eq: return known(std::int64_t{a == b});
    case ExprOp::Ne: return known(std::int64_t{a != b});
    case ExprOp::And: return known(std::int64_t{a && b});
    case ExprOp::Or: return known(std::int64_t{a || b});
    case ExprOp::BitAnd: return known(a & b);
    case ExprOp::BitOr: return known(a | b);
    case ExprOp::BitXor: return known(a ^ b);
    case ExprOp::Shl: return shifted_left(a, b);
    case ExprOp::Shr: return b < 0 ? no_value : known(a >> (b < 63 ? b : 63));
    default: return divided(op, a, b);
    }
}

ExprValue combined_reals(ExprOp op, double a, double b) {
    switch (op) {
    case ExprOp::RealAdd: return known(a + b);
    case ExprOp::RealSub: return known(a - b);
    case ExprOp::RealMul: return known(a * b);
    case ExprOp::RealDiv: return known(a / b);
    case ExprOp::RealMin: return known(a != a || b < a ? b : a);
    case ExprOp::RealMax: return known(a != a || a < b ? b : a);
    case ExprOp::RealLt: return known(std::int64_t{a < b});
    case ExprOp::RealLe: return known(std::int64_t{a <= b});
    case ExprOp::RealEq: return known(std::int64_t{a == b});
    default: return known(std::int64_t{a != b});
    }
}

ExprValue applied(ExprOp op, std::int64_t a) {
    const double real = real_of(a);
    switch (op) {
    case ExprOp::Neg: return combined(ExprOp::Sub, 0, a);
    case ExprOp::Not: return known(std::int64_t{!a});
    case ExprOp::BitNot: return known(~a);
    case ExprOp::Real: return known(static_cast<double>(a));
    case ExprOp::Whole: return real > -0x1p63 && real < 0x1p63 ? known(static_cast<std::int64_t>(real)) : no_value;
    case ExprOp::RealF32: return known(static_cast<double>(static_cast<float>(real)));
    case ExprOp::RealNeg: return known(-real);
    case ExprOp::RealFloor: return known(std::floor(real));
    case ExprOp::RealCeil: return known(std::ceil(real));
    case ExprOp::RealTrunc: return known(std::trunc(real));
    case ExprOp::RealRound: return known(std::round(real));
    case ExprOp::RealSqrt: return known(std::sqrt(real));
    case ExprOp::RealIsNan: return known(std::int64_t{std::isnan(real)});
    case ExprOp::RealIsInf: return known(std::int64_t{std::isinf(real)});
    default: return known(std::int64_t{std::isfinite(real)});
    }
}

bool takes_reals(ExprOp op) {
    return op > ExprOp::Real;
}

ExprValue applied(ExprOp op, const ExprValue* operands) {
    const ExprValue& a = operands[0];
    const ExprValue& b = operands[1];
    if (op == ExprOp::Select)
        return !a.is_known ? no_value : a.value ? b : operands[2];
    if (!a.is_known)
        return no_value;
    if (info(op).operands == 1)
        return applied(op, a.value);
    if (!b.is_known)
        return no_value;
    return takes_reals(op) ? combined_reals(op, real_of(a.value), real_of(b.value)) : combined(op, a.value, b.value);
}

} // namespace

std::size_t deepest_stack(const ExprTable& table) {
    std::size_t deepest = 0;
    for (const List<ExprWord>& expression : table)
        deepest = expression.size() > deepest ? expression.size() : deepest;
    return deepest + 2; // operands that an operator lacks are looked at, and not used
}

void evaluate(const ExprTable& table, const ExprValue* symbols, ExprValue* values, ExprValue* stack) {
    for (std::size_t row = 0; row < table.size(); ++row) {
        ExprValue* top = stack;
        for (const ExprWord& word : table[row]) {
            const auto operand = static_cast<std::size_t>(word.operand);
            switch (word.op) {
            case ExprOp::Constant: *top++ = known(word.operand); break;
            case ExprOp::Symbol: *top++ = symbols[operand]; break;
            case ExprOp::Earlier: *top++ = values[operand]; break;
            default:
                top -= info(word.op).operands;
                *top = applied(word.op, top);
                ++top;
            }
        }
        values[row] = *stack;
    }
}

} // namespace hidet::package
