// SPDX-License-Identifier: Apache-2.0
// Arithmetic on constants, bit for bit what the virtual machine and the GPU compute: integers wrap in their type, floats
// are rounded once per operation. Null means: not constant, or better left to run time (division by zero, shifts by more
// than the width, operations whose result depends on a math library).
#pragma once

#include "compiler/ir/expr.h"

namespace hidet::ir {

ExprRef fold_unary(UnOp op, DType dtype, const ExprRef& a);
// Both operands have the type, but the count of a shift.
ExprRef fold_binary(BinOp op, DType dtype, const ExprRef& a, const ExprRef& b);
ExprRef fold_cast(const ExprRef& value, DType to);
ExprRef fold_math(IntrinsicId id, DType dtype, const ExprVec& args);

} // namespace hidet::ir
