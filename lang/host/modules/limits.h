// SPDX-License-Identifier: Apache-2.0
// finfo and iinfo of numpy and of hidet.ir.dtypes: what a data type can hold.
#pragma once

#include "compiler/ir/dtype.h"
#include "lang/host/interpreter.h"

namespace hidet::lang {

// finfo(dtype) and iinfo(dtype): objects with bits, dtype, max and min; of floats also with eps, smallest_normal and tiny.
Value float_limits(Evaluator& evaluator, Args& args, Span span);
Value integer_limits(Evaluator& evaluator, Args& args, Span span);

// Of a type that has them; nothing else may be asked for.
Value limits_of(ir::DType dtype);
bool has_float_limits(ir::DType dtype);
bool has_integer_limits(ir::DType dtype);

} // namespace hidet::lang
