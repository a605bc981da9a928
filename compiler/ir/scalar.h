// SPDX-License-Identifier: Apache-2.0
// The operators of lang/base/scalar_ops.def on values of the IR's scalar types, one or many at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/ir/expr.h"
#include "lang/base/scalar.h"

namespace hidet::ir {

// A value of a scalar type: bool and integers as `i` (u64 as its bits), floats as a `d` that the type holds.
union ScalarValue {
    std::int64_t i;
    double d;
};

ScalarOp scalar_op(UnOp op);
ScalarOp scalar_op(BinOp op);                      // `and` and `or` are those of the bits of two bools
std::optional<ScalarOp> scalar_op(IntrinsicId id); // nothing: no operator on scalars
bool takes(ScalarOp op, DType dtype);              // bool, integers and floats; sub-byte integers have no operators

// result[n] = op(args[0][n], ...) for each n below count; the operands are of the type, which the operator takes. The result
// is of the type too, or a bool. Never fails: integers divided by zero give 0.
void apply(ScalarOp op, DType dtype, const ScalarValue* const* args, int count, ScalarValue* result);
ScalarValue apply(ScalarOp op, DType dtype, ScalarValue a, ScalarValue b = {}, ScalarValue c = {});

// Between bool, integers, sub-byte integers and floats.
void convert(DType from, DType to, const ScalarValue* values, int count, ScalarValue* result);
ScalarValue converted(ScalarValue value, DType from, DType to);

} // namespace hidet::ir
