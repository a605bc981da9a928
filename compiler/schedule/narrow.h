// SPDX-License-Identifier: Apache-2.0
// Compute definitions count in i64, which a GPU computes in pieces. Where value ranges show that an index fits, it becomes
// i32: loops, lets, arithmetic, comparisons and indices of elements. What depends on symbols or on loaded values stays as it
// is, and so do functions of the CPU: there i64 costs nothing, while compilers lose sight of neighbours behind i32 sums.
#pragma once

#include "compiler/ir/func.h"

namespace hidet::graph {

ir::ModuleRef with_narrow_indices(const ir::ModuleRef& module);

} // namespace hidet::graph
