// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/expression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace hidet::artifact {

namespace {

constexpr ExprOpInfo expr_rows[] = {
#define HIDET_EXPR_OP(name, text, operands) {text, operands},
#include "compiler/artifact/expression_ops.def"
#undef HIDET_EXPR_OP
};

double real_of(std::int64_t word) {
    return std::bit_cast<double>(word);
}
std::int64_t word_of(double real) {
    return std::bit_cast<std::int64_t>(real);
}

ExprValue divided(ExprOp op, std::int64_t a, std::int64_t b) {
    if (b == 0 || (b == -1 && a == INT64_MIN))
        return std::nullopt;
    const bool is_exact = a % b == 0;
    const bool is_negative = (a < 0) != (b < 0); // division of C goes towards zero
    switch (op) {
    case ExprOp::Div: return a / b;
    case ExprOp::Mod: return a % b;
    case ExprOp::FloorDiv: return a / b - (!is_exact && is_negative);
    case ExprOp::CeilDiv: return a / b + (!is_exact && !is_negative);
    default: return a % b + (!is_exact && is_negative ? b : 0);
    }
}

ExprValue combined(ExprOp op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    switch (op) {
    case ExprOp::Add: return __builtin_add_overflow(a, b, &out) ? std::nullopt : ExprValue(out);
    case ExprOp::Sub: return __builtin_sub_overflow(a, b, &out) ? std::nullopt : ExprValue(out);
    case ExprOp::Mul: return __builtin_mul_overflow(a, b, &out) ? std::nullopt : ExprValue(out);
    case ExprOp::Min: return std::min(a, b);
    case ExprOp::Max: return std::max(a, b);
    case ExprOp::Lt: return a < b;
    case ExprOp::Le: return a <= b;
    case ExprOp::Eq: return a == b;
    case ExprOp::Ne: return a != b;
    case ExprOp::And: return a && b;
    case ExprOp::Or: return a || b;
    case ExprOp::BitAnd: return a & b;
    case ExprOp::BitOr: return a | b;
    case ExprOp::BitXor: return a ^ b;
    case ExprOp::Shl: return b < 0 || b > 62 ? std::nullopt : combined(ExprOp::Mul, a, std::int64_t{1} << b);
    case ExprOp::Shr: return b < 0 || b > 63 ? std::nullopt : ExprValue(a >> b);
    default: return divided(op, a, b);
    }
}

std::int64_t combined_reals(ExprOp op, double a, double b) {
    switch (op) {
    case ExprOp::RealAdd: return word_of(a + b);
    case ExprOp::RealSub: return word_of(a - b);
    case ExprOp::RealMul: return word_of(a * b);
    case ExprOp::RealDiv: return word_of(a / b);
    case ExprOp::RealMin: return word_of(std::min(a, b));
    case ExprOp::RealMax: return word_of(std::max(a, b));
    case ExprOp::RealLt: return a < b;
    case ExprOp::RealLe: return a <= b;
    case ExprOp::RealEq: return a == b;
    default: return a != b;
    }
}

ExprValue whole(double real) {
    return real > -0x1p63 && real < 0x1p63 ? ExprValue(static_cast<std::int64_t>(real)) : std::nullopt;
}

ExprValue applied(ExprOp op, std::int64_t a) {
    switch (op) {
    case ExprOp::Neg: return combined(ExprOp::Sub, 0, a);
    case ExprOp::Not: return !a;
    case ExprOp::BitNot: return ~a;
    case ExprOp::Real: return word_of(static_cast<double>(a));
    case ExprOp::Whole: return whole(real_of(a));
    case ExprOp::RealF32: return word_of(static_cast<float>(real_of(a)));
    case ExprOp::RealNeg: return word_of(-real_of(a));
    case ExprOp::RealFloor: return word_of(std::floor(real_of(a)));
    case ExprOp::RealCeil: return word_of(std::ceil(real_of(a)));
    case ExprOp::RealTrunc: return word_of(std::trunc(real_of(a)));
    case ExprOp::RealRound: return word_of(std::nearbyint(real_of(a)));
    case ExprOp::RealSqrt: return word_of(std::sqrt(real_of(a)));
    case ExprOp::RealIsNan: return std::isnan(real_of(a));
    case ExprOp::RealIsInf: return std::isinf(real_of(a));
    default: return std::isfinite(real_of(a));
    }
}

bool takes_reals(ExprOp op) {
    return op > ExprOp::Real;
}

class Stack {
public:
    void push(ExprValue value) { m_values.push_back(value); }
    ExprValue pop() {
        const ExprValue top = m_values.back();
        m_values.pop_back();
        return top;
    }
    void apply(ExprOp op) {
        if (op == ExprOp::Select) {
            const ExprValue no = pop(), yes = pop(), condition = pop();
            return push(condition ? (*condition ? yes : no) : std::nullopt);
        }
        if (info(op).operands == 1) {
            const ExprValue a = pop();
            return push(a ? applied(op, *a) : a);
        }
        const ExprValue b = pop(), a = pop();
        if (!a || !b)
            return push(std::nullopt);
        push(takes_reals(op) ? ExprValue(combined_reals(op, real_of(*a), real_of(*b))) : combined(op, *a, *b));
    }

private:
    std::vector<ExprValue> m_values;
};

} // namespace

const ExprOpInfo& info(ExprOp op) {
    return expr_rows[static_cast<std::size_t>(op)];
}

int expr_op_count() {
    return static_cast<int>(std::size(expr_rows));
}

std::optional<ExprOp> find_expr_op(const std::string& text) {
    for (int i = 0; i < expr_op_count(); ++i)
        if (text == expr_rows[i].text)
            return static_cast<ExprOp>(i);
    return std::nullopt;
}

std::vector<ExprValue> evaluate(const std::vector<Expression>& table, const std::vector<ExprValue>& symbols) {
    std::vector<ExprValue> values;
    values.reserve(table.size());
    Stack stack;
    for (const Expression& expression : table) {
        for (const ExprWord& word : expression) {
            const auto row = static_cast<std::size_t>(word.operand);
            switch (word.op) {
            case ExprOp::Constant: stack.push(word.operand); break;
            case ExprOp::Symbol: stack.push(symbols[row]); break;
            case ExprOp::Earlier: stack.push(values[row]); break;
            default: stack.apply(word.op);
            }
        }
        values.push_back(stack.pop());
    }
    return values;
}

std::optional<std::int64_t> constant_of(const Expression& expression) {
    if (expression.size() != 1 || expression.front().op != ExprOp::Constant)
        return std::nullopt;
    return expression.front().operand;
}

std::optional<std::uint32_t> symbol_of(const Expression& expression) {
    if (expression.size() != 1 || expression.front().op != ExprOp::Symbol)
        return std::nullopt;
    return static_cast<std::uint32_t>(expression.front().operand);
}

} // namespace hidet::artifact
