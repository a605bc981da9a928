// SPDX-License-Identifier: Apache-2.0
// What attention operators of ONNX Runtime have in common.
#pragma once

#include "compiler/graph/onnx/ops/attention_parts.h"

namespace hidet::graph::onnx {

// The attribute `scale`, or what follows from the size of a head.
double attention_scale(const NodeCall& node, const Dim& head_size);

// Which operands hide keys and add to scores, and how many keys come before the first query's.
struct MaskOperands {
    std::size_t mask;
    std::size_t bias;
    Dim past;
};
void add_masks(NodeCall& node, Attention& attention, const MaskOperands& operands);

// Keys or values of before (null: none), and those that are new, [batch, heads, length, size].
Val with_past(NodeCall& node, const Val& past, const Val& now);

} // namespace hidet::graph::onnx
