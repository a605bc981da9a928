// SPDX-License-Identifier: Apache-2.0
// Integer expressions of a launch plan: short postfix programs over the plan's symbols, in one table. One may use the
// results of those before it, so the table is evaluated from front to back, once for each binding of the symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hidet::artifact {

enum class ExprOp : std::uint8_t {
#define HIDET_EXPR_OP(name, text, operands) name,
#include "compiler/artifact/expression_ops.def"
};
struct ExprOpInfo {
    const char* text;
    int operands;
};
const ExprOpInfo& info(ExprOp op);
int expr_op_count();
std::optional<ExprOp> find_expr_op(const std::string& text);

struct ExprWord {
    ExprOp op = ExprOp::Constant;
    std::int64_t operand = 0; // Constant: the value; Symbol, Earlier: a row of their table; else 0
    friend bool operator==(const ExprWord&, const ExprWord&) = default;
    friend auto operator<=>(const ExprWord&, const ExprWord&) = default;
};
using Expression = std::vector<ExprWord>;
using ExprValue = std::optional<std::int64_t>; // nothing: not known, or there is none

// Of each expression in the table. The table is well formed (launch_plan.h, problem_of).
std::vector<ExprValue> evaluate(const std::vector<Expression>& table, const std::vector<ExprValue>& symbols);

std::optional<std::int64_t> constant_of(const Expression& expression); // nothing: it depends on symbols
std::optional<std::uint32_t> symbol_of(const Expression& expression);  // nothing: it is no symbol alone

// "4", "seq", "(seq + 255) // 256".
std::string text_of(const std::vector<Expression>& table, std::uint32_t row, const std::vector<std::string>& symbols);

} // namespace hidet::artifact
