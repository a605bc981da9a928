// SPDX-License-Identifier: Apache-2.0
// What rows are divided by where they are normalised without their mean.
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

// Of an index into x, of floats: the root of the mean of the squares over `dims` plus epsilon, computed in the type `work`. The sums are
// a stage of the task, which has dims as extents of 1.
Element root_mean_square(TaskBuilder& builder, const ir::VarRef& x, const Ints& dims, ir::DType work, double epsilon);

} // namespace hidet::graph
