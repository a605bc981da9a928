// SPDX-License-Identifier: Apache-2.0
// How far the numbers of a model may be from those they are compared with. tests/unit/model/planted plants errors of one
// per cent, which these have to catch.
#pragma once

#include "app/session/kernel_bench/compare.h"
#include "lang/tensor/tensor.h"

namespace hidet::session {

// Of a value beside its float64, as a share of the greatest magnitude in the tensor.
double node_tolerance(ir::DType dtype);

// Of results that another library computed in the same type, whose sums are in another order.
Tolerance recorded_tolerance(const lang::Tensor& recorded);

} // namespace hidet::session
