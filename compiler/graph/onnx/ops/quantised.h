// SPDX-License-Identifier: Apache-2.0
// What quantised operators have in common: whole numbers times a scale, moved by a zero point.
#pragma once

#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

// A scale or zero point against x: one for all, one per place of `axis`, or one per block of places.
Val aligned_parameter(NodeCall& node, const Val& parameter, const Val& x, std::int64_t axis, std::int64_t block);

// Parameters of the rows of a matrix, standing in a column.
Val of_rows(NodeCall& node, const Val& parameter, const Val& matrix);

// x without its zero point (null: 0), as i32.
Val centred(NodeCall& node, const Val& x, const Val& zero_point);

// Rounded, moved to the zero point (null: none), kept within the type. `elem_type` says more of the type than the dtype does
// where it has 4 bits.
Val saturated(NodeCall& node, const Val& quotient, const Val& zero_point, ir::DType dtype, std::int32_t elem_type);

} // namespace hidet::graph::onnx
