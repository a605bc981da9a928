// SPDX-License-Identifier: Apache-2.0
// Operations on rows of cells: one loop each.
#pragma once

#include "compiler/graph/fold/lanes.h"

namespace hidet::graph::lanes {

void apply_unary(ir::UnOp op, ir::DType dtype, int lanes, const Row& a, Row& result);
// Both operands have the type `from`. Division of integers by zero gives 0.
void apply_binary(ir::BinOp op, ir::DType from, int lanes, const Row& a, const Row& b, Row& result);
void apply_cast(ir::DType from, ir::DType to, int lanes, const Row& a, Row& result);
void apply_math(ir::IntrinsicId id, ir::DType from, ir::DType to, int lanes, const std::vector<const Row*>& args,
                Row& result);

} // namespace hidet::graph::lanes
