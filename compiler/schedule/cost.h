// SPDX-License-Identifier: Apache-2.0
// Rough numbers for decisions: what an expression costs to evaluate, how large an extent is.
#pragma once

#include "compiler/ir/expr.h"

namespace hidet::graph {

// Operations on values, where one is an addition. Arithmetic on indices and conditions that look at indices alone are
// free, but for divisions, which they share with values; elements cost what their indices do.
int cost_of(const ir::ExprRef& value);

// The value of an integer expression; a symbol, or a variable, counts as 64.
double estimate(const ir::ExprRef& extent);
double estimate(const ir::ExprVec& extents); // their product

// Is evaluating something of this cost again and again better than keeping the results in a tensor? `evaluations`: how
// often readers ask for an element, `elements`: how many there are.
bool is_cheaper_again(int cost, double evaluations, double elements);

} // namespace hidet::graph
