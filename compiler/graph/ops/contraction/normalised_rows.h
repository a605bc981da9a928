// SPDX-License-Identifier: Apache-2.0
// Rows that a product normalises before it multiplies them.
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

// Of a [..., k]: each row over the root of the mean of its squares plus the attribute `epsilon`, times gain [k], in the dtype of a. Sums
// are in float32 at least. A gain wider than a multiplies before the result is rounded, another one after it. OpError when they do not
// go together.
ir::VarRef rms_normalised(TaskBuilder& builder, const OpCall& call, const ir::VarRef& a, const ir::VarRef& gain);

} // namespace hidet::graph
