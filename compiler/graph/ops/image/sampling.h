// SPDX-License-Identifier: Apache-2.0
// Reading pictures between their elements.
#pragma once

#include "compiler/graph/ops/expressions.h"

namespace hidet::graph {

// The two elements around a coordinate: tap 0 is the one at or below it.
Expr linear_weight(const Expr& coordinate, const Expr& tap); // in the coordinate's type
Expr linear_index(const Expr& coordinate, const Expr& tap);  // i64, may be outside

// The four elements around it: tap 1 is the one at or below it.
Expr cubic_weight(const Expr& coordinate, const Expr& tap, double a);

} // namespace hidet::graph
