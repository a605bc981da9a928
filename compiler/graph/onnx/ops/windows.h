// SPDX-License-Identifier: Apache-2.0
// What convolutions and pools have in common: kernels, strides, and padding that may follow from the shape.
#pragma once

#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

struct Windows {
    std::size_t rank = 0; // spatial dimensions
    Ints kernel;
    Ints strides;
    Ints dilations;
    Shape begins; // of the padding
    Shape ends;
};

// `kernel` is that of the weight; empty: the attribute kernel_shape.
Windows windows_of(const NodeCall& node, Ints kernel);
// The padding as an attribute. Where it depends on extents that are not known, x is padded with `value` first.
Ints padding_of(NodeCall& node, const Windows& windows, Val& x, double value);

} // namespace hidet::graph::onnx
