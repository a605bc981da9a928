// SPDX-License-Identifier: Apache-2.0
// What ArgMax and ArgMin share. Attributes: dim (int), keepdims, select_last (bool).
#pragma once

#include <string>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

Task define_arg_reduction(const OpCall& call, const std::string& name, ReduceOp op);

} // namespace hidet::graph
