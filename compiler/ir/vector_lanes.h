// SPDX-License-Identifier: Apache-2.0
// Which lanes the operations that move lanes of vectors choose.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/expr.h"

namespace hidet::ir {

// For each lane of the result the lane of the first operand, behind which those of the second one are counted; -1: a zero.
// Nothing: the call computes.
std::optional<std::vector<int>> chosen_lanes(const Intrinsic& call);

} // namespace hidet::ir
