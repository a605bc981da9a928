// SPDX-License-Identifier: Apache-2.0
// Arithmetic on constants, as lang/base/scalar_ops.def defines it. Null means: not constant, or better left to run time
// (division by zero, shifts by the width or more, the smaller of two zeros, results that depend on a math library).
#pragma once

#include <compare>

#include "compiler/ir/expr.h"
#include "compiler/ir/scalar.h"

namespace hidet::ir {

ExprRef fold_unary(UnOp op, DType dtype, const ExprRef& a);
// Both operands have the type, but the count of a shift.
ExprRef fold_binary(BinOp op, DType dtype, const ExprRef& a, const ExprRef& b);
ExprRef fold_cast(const ExprRef& value, DType to);
ExprRef fold_math(IntrinsicId id, DType dtype, const ExprVec& args);
// The same on values, `b` for operators that have two; nothing where the others give null.
std::optional<ScalarValue> fold_values(ScalarOp op, DType dtype, ScalarValue a, ScalarValue b = {});

// A constant that no signed type holds: a literal from 2**63 on. What it meets becomes u64.
bool is_unsigned_only(const ExprRef& expr);
// Of the numbers that two integer constants are, whatever their types; nothing where one is no such constant.
std::optional<std::strong_ordering> order_of_constants(const ExprRef& a, const ExprRef& b);

} // namespace hidet::ir
