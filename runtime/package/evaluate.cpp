// SPDX-License-Identifier: Apache-2.0
// What the operators do is said in lang/base (scalar_ops.inl, whole.h), whose headers need no library.
#include "lang/base/whole.h"
#include "runtime/package/expression.h"

namespace hidet::package {

namespace {

constexpr ExprValue no_value;

ExprValue known(std::int64_t value) {
    return {value, true};
}
ExprValue known(bool truth) {
    return {truth, true};
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

ExprValue on_whole(ScalarOp op, std::int64_t a, std::int64_t b) {
    const std::optional<std::int64_t> result = whole(op, a, b);
    return result ? known(*result) : no_value;
}

template <class Operator, int operands>
ExprValue on_reals(std::int64_t a, std::int64_t b) {
    if constexpr (operands == 1)
        return known(Operator::apply(real_of(a)));
    else
        return known(Operator::apply(real_of(a), real_of(b)));
}

ExprValue ceiling_of_quotient(std::int64_t a, std::int64_t b) {
    const ExprValue below = on_whole(ScalarOp::FloorDiv, a, b);
    return below.is_known && whole(ScalarOp::FloorMod, a, b) != 0 ? known(below.value + 1) : below;
}

ExprValue whole_of(double real) {
    return real > -0x1p63 && real < 0x1p63 ? known(static_cast<std::int64_t>(real)) : no_value;
}

// `b` is looked at when there are two operands.
ExprValue applied(ExprOp op, std::int64_t a, std::int64_t b) {
    switch (op) {
// clang-format off
#define HIDET_WHOLE_OP(name, ...) case ExprOp::name: return on_whole(ScalarOp::name, a, b);
#define HIDET_REAL_OP(name, text, operands, operator_name) \
    case ExprOp::name: return on_reals<scalar::operator_name##Op, operands>(a, b);
// clang-format on
#include "runtime/package/expression_ops.def"
    case ExprOp::And: return known(a && b);
    case ExprOp::Or: return known(a || b);
    case ExprOp::CeilDiv: return ceiling_of_quotient(a, b);
    case ExprOp::Real: return known(static_cast<double>(a));
    case ExprOp::Whole: return whole_of(real_of(a));
    case ExprOp::RealF32: return known(static_cast<double>(static_cast<float>(real_of(a))));
    case ExprOp::Constant:
    case ExprOp::Symbol:
    case ExprOp::Earlier:
    case ExprOp::Select: break;
    }
    return no_value;
}

ExprValue applied(ExprOp op, const ExprValue* operands) {
    const ExprValue& a = operands[0];
    const ExprValue& b = operands[1];
    if (op == ExprOp::Select)
        return !a.is_known ? no_value : a.value ? b : operands[2];
    const bool is_known = a.is_known && (info(op).operands == 1 || b.is_known);
    return is_known ? applied(op, a.value, b.value) : no_value;
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
