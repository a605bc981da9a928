// SPDX-License-Identifier: Apache-2.0
// Products of quantised tensors: zero points are taken off, the product is one of 32-bit integers, and the result is
// quantised again.
#pragma once

#include <optional>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// A quantised tensor; without a zero point it is 0.
struct Quantised {
    ValueId values;
    std::optional<ValueId> zero_point = std::nullopt; // of the tensor, or one dimension
    std::optional<ValueId> scale = std::nullopt;      // likewise; the QLinear operators need it
};

// Zero points of a are per row, those of b per column, or have as many dimensions as their tensor.
ValueId matmul_integer(Graph& graph, const Quantised& a, const Quantised& b, const NodeOrigin& origin = {});
// Attributes of a convolution. The zero point of w may be one for each output channel.
ValueId conv_integer(Graph& graph, const Quantised& x, const Quantised& w, Attributes attributes,
                     const NodeOrigin& origin = {});
// `y` has scale and zero point of the result alone; its values are not read.
ValueId qlinear_matmul(Graph& graph, const Quantised& a, const Quantised& b, const Quantised& y,
                       const NodeOrigin& origin = {});
ValueId qlinear_conv(Graph& graph, const Quantised& x, const Quantised& w, const Quantised& y,
                     std::optional<ValueId> bias, Attributes attributes, const NodeOrigin& origin = {});

} // namespace hidet::graph
