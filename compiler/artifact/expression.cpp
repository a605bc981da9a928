// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/expression.h"
#include "lang/base/transformed.h"

namespace hidet::artifact {

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

std::vector<ExprValue> evaluate(std::vector<Expression> table, const std::vector<ExprValue>& symbols) {
    std::vector<package::List<ExprWord>> rows;
    for (Expression& expression : table)
        rows.push_back({expression.data(), static_cast<std::uint32_t>(expression.size())});
    const package::ExprTable flat{rows.data(), static_cast<std::uint32_t>(rows.size())};
    std::vector<package::ExprValue> given, values(table.size()), stack(package::deepest_stack(flat));
    for (const ExprValue& symbol : symbols)
        given.push_back({symbol.value_or(0), symbol.has_value()});
    package::evaluate(flat, given.data(), values.data(), stack.data());
    return transformed(values, [&](const package::ExprValue& value) {
        return value.is_known ? ExprValue(value.value) : std::nullopt;
    });
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
