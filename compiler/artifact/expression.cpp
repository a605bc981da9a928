// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/expression.h"

#include <bit>

namespace hidet::artifact {

namespace {

double real_of(std::int64_t word) {
    return std::bit_cast<double>(word);
}
std::int64_t word_of(double real) {
    return std::bit_cast<std::int64_t>(real);
}

ExprValue whole_of(double real) {
    return real > -0x1p63 && real < 0x1p63 ? ExprValue(static_cast<std::int64_t>(real)) : std::nullopt;
}

ExprValue ceiling_of_quotient(std::int64_t a, std::int64_t b) {
    const ExprValue below = whole(ScalarOp::FloorDiv, a, b);
    return below ? ExprValue(*below + (whole(ScalarOp::FloorMod, a, b) != 0)) : below;
}

struct UseReals {
    double a, b;
    template <class F, int operands, class T, class R>
    ExprValue operator()() const {
        if constexpr (operands == 1)
            return word(F::apply(a));
        else if constexpr (operands == 2)
            return word(F::apply(a, b));
        else
            return none();
    }
    ExprValue none() const { return std::nullopt; }

private:
    static std::int64_t word(double real) { return word_of(real); }
    static std::int64_t word(bool truth) { return truth; }
};

ExprValue real(ScalarOp op, std::int64_t a, std::int64_t b) {
    return scalar::with_operation<double>(op, UseReals{real_of(a), real_of(b)});
}

// `b` is looked at when there are two operands.
ExprValue applied(ExprOp op, std::int64_t a, std::int64_t b) {
    switch (op) {
// clang-format off
#define HIDET_WHOLE_OP(name, ...) case ExprOp::name: return whole(ScalarOp::name, a, b);
#define HIDET_REAL_OP(name, text, operands, operator_name) case ExprOp::name: return real(ScalarOp::operator_name, a, b);
// clang-format on
#include "runtime/package/expression_ops.def"
    case ExprOp::And: return a && b;
    case ExprOp::Or: return a || b;
    case ExprOp::CeilDiv: return ceiling_of_quotient(a, b);
    case ExprOp::Real: return word_of(static_cast<double>(a));
    case ExprOp::Whole: return whole_of(real_of(a));
    case ExprOp::RealF32: return word_of(static_cast<float>(real_of(a)));
    case ExprOp::Constant:
    case ExprOp::Symbol:
    case ExprOp::Earlier:
    case ExprOp::Select: break;
    }
    return std::nullopt;
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
        const ExprValue b = info(op).operands == 1 ? ExprValue(0) : pop();
        const ExprValue a = pop();
        push(a && b ? applied(op, *a, *b) : std::nullopt);
    }

private:
    std::vector<ExprValue> m_values;
};

} // namespace

std::optional<ExprOp> find_expr_op(const std::string& text) {
    for (int i = 0; i < package::expr_op_count; ++i)
        if (text == info(static_cast<ExprOp>(i)).text)
            return static_cast<ExprOp>(i);
    return std::nullopt;
}

std::optional<ExprOp> whole_op(ScalarOp op) {
    switch (op) {
// clang-format off
#define HIDET_WHOLE_OP(name, ...) case ScalarOp::name: return ExprOp::name;
// clang-format on
#include "runtime/package/expression_ops.def"
    default: return std::nullopt;
    }
}

std::optional<ExprOp> real_op(ScalarOp op) {
    switch (op) {
// clang-format off
#define HIDET_REAL_OP(name, text, operands, operator_name) case ScalarOp::operator_name: return ExprOp::name;
// clang-format on
#include "runtime/package/expression_ops.def"
    default: return std::nullopt;
    }
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
