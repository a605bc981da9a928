// SPDX-License-Identifier: Apache-2.0
// Which stages of a task get a kernel. The others are inlined into their readers.
//
// The rule: a stage without a reduction that is no result of the task is inlined when that costs less than keeping its
// elements in memory: it is cheap, or it is evaluated hardly more often than it has elements (is_cheaper_again() in
// perf/expression_cost.h). So the exponential of a softmax, which both the sum and the quotient read, is computed once, and
// so is what the inner loop of a matrix product would compute for every row; the zeros around the input of a convolution are
// not stored.
#pragma once

#include "compiler/graph/core/task.h"

namespace hidet::graph {

// The stages that are left, in order; their values read inputs of the task and each other only.
std::vector<Stage> without_inlined(const Task& task);

// The value of an injective stage, or of one term of a reduction, at these indices: a fresh copy.
ir::ExprRef value_at(const Stage& stage, const ir::ExprVec& axes, const ir::ExprVec& reduced = {});

} // namespace hidet::graph
