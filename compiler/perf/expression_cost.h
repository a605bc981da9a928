// SPDX-License-Identifier: Apache-2.0
// Expressions of compute definitions: their operations, and rough numbers for decisions: what one costs to evaluate, how large
// an extent is.
#pragma once

#include "compiler/ir/expr.h"

namespace hidet::perf {

// On floats, a division or a function of the math library being one; both arms of a Select count, as they do in a kernel without
// branches.
std::int64_t operations_in(const ir::ExprRef& expr);

// Operations on values, where one is an addition. Arithmetic on indices and conditions that look at indices alone are
// free, but for divisions, which they share with values; elements cost what their indices do.
int cost_of(const ir::ExprRef& value);

// The value of an integer expression; a symbol, or a variable, counts as 64.
double estimate(const ir::ExprRef& extent);
double estimate(const ir::ExprVec& extents); // their product

// Is evaluating something of this cost again and again better than keeping the results in a tensor? `evaluations`: how
// often readers ask for an element, `elements`: how many there are.
bool is_cheaper_again(int cost, double evaluations, double elements);

} // namespace hidet::perf
