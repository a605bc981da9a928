// SPDX-License-Identifier: Apache-2.0
// Integer expressions of a launch plan (runtime/package/expression.h), where plans are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/base/scalar.h"
#include "runtime/package/expression.h"

namespace hidet::artifact {

using package::ExprOp;
using package::ExprWord;
using package::info;

std::optional<ExprOp> whole_op(ScalarOp op); // the word that does the same with whole numbers; nothing: there is none
std::optional<ExprOp> real_op(ScalarOp op);  // with reals

using Expression = std::vector<ExprWord>;
using ExprValue = std::optional<std::int64_t>; // nothing: not known, or there is none

// Of each expression in the table. The table is well formed (launch_plan.h, problem_of).
std::vector<ExprValue> evaluate(std::vector<Expression> table, const std::vector<ExprValue>& symbols);

std::optional<std::int64_t> constant_of(const Expression& expression); // nothing: it depends on symbols
std::optional<std::uint32_t> symbol_of(const Expression& expression);  // nothing: it is no symbol alone

// "4", "seq", "(seq + 255) // 256".
std::string text_of(const std::vector<Expression>& table, std::uint32_t row, const std::vector<std::string>& symbols);

} // namespace hidet::artifact
