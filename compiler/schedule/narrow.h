// SPDX-License-Identifier: Apache-2.0
// Compute definitions count in i64. Where value ranges show that an index fits, it becomes i32: loops, lets, arithmetic,
// comparisons and indices of elements. What depends on symbols or on loaded values stays as it is.
#pragma once

#include "compiler/ir/func.h"

namespace hidet::graph {

ir::ModuleRef with_narrow_indices(const ir::ModuleRef& module);

} // namespace hidet::graph
