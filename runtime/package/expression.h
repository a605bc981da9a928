// SPDX-License-Identifier: Apache-2.0
// Integer expressions of a launch plan: short postfix programs over the plan's symbols, in one table. One may use the
// results of those before it, so the table is evaluated from front to back, once for each binding of the symbols.
#pragma once

#include <compare>

#include "runtime/package/text.h"

namespace hidet::package {

enum class ExprOp : std::uint8_t {
#define HIDET_EXPR_OP(name, text, operands) name,
#include "runtime/package/expression_ops.def"
};
struct ExprOpInfo {
    const char* text;
    int operands;
};
inline constexpr ExprOpInfo expr_op_rows[] = {
#define HIDET_EXPR_OP(name, text, operands) {text, operands},
#include "runtime/package/expression_ops.def"
};
inline constexpr int expr_op_count = static_cast<int>(sizeof expr_op_rows / sizeof *expr_op_rows);
inline const ExprOpInfo& info(ExprOp op) {
    return expr_op_rows[static_cast<std::size_t>(op)];
}

struct ExprWord {
    ExprOp op = ExprOp::Constant;
    std::int64_t operand = 0; // Constant: the value; Symbol, Earlier: a row of their table; else 0
    friend bool operator==(const ExprWord&, const ExprWord&) = default;
    friend auto operator<=>(const ExprWord&, const ExprWord&) = default;
};

struct ExprValue {
    std::int64_t value = 0;
    bool is_known = false; // else: not known, or there is none
    friend bool operator==(const ExprValue&, const ExprValue&) = default;
};

using ExprTable = List<List<ExprWord>>;

std::size_t deepest_stack(const ExprTable& table); // that one of them needs

// Of each expression in the table, which is well formed (check.h).
void evaluate(const ExprTable& table, const ExprValue* symbols, ExprValue* values, ExprValue* stack);

} // namespace hidet::package
