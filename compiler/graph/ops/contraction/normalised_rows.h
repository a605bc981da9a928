// SPDX-License-Identifier: Apache-2.0
// Rows that a product normalises before it multiplies them.
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

// Of a [..., k]: each row over the root of the mean of its squares plus the attribute `epsilon`, times gain [k], in the dtype of a. Sums
// are in float32 at least. A gain wider than a multiplies before the result is rounded, another one after it. OpError when they do not
// go together.
ir::VarRef rms_normalised(TaskBuilder& builder, const OpCall& call, const ir::VarRef& a, const ir::VarRef& gain);

// The end of a product with two matrices: the attribute `gate`, a function by its name, of one sum times the other, in `dtype`. Both are
// of one shape, in the dtype they were added up in. OpError when there is no function of that name.
Task finish_gated(TaskBuilder& builder, const OpCall& call, const ir::VarRef& gate, const ir::VarRef& sum,
                  ir::DType dtype);

} // namespace hidet::graph
