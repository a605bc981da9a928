// SPDX-License-Identifier: Apache-2.0
// One part of one term of a discrete Fourier transform.
#pragma once

#include "compiler/graph/ops/expressions.h"

namespace hidet::graph {

// Terms cancel, and an angle that is rounded to f32 is off by more than what is left of them.
constexpr ir::DType spectrum_type = ir::DType::F64;

// Term n of bin k of a transform of `length`: the real part when `part` is 0, the imaginary one when it is 1. The value is
// `real` + i `imaginary` (null: none), both of `spectrum_type`.
Expr spectrum_term(const Expr& real, const Expr& imaginary, const Expr& n, const Expr& k, const Dim& length,
                   const Expr& part, bool is_inverse);
Dim bins_of(const Dim& length, bool is_onesided);

} // namespace hidet::graph
