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

// A list attribute of so many numbers, none below `least`; what stands in its place when it is left out. OpError else.
struct WindowNumbers {
    std::int64_t otherwise = 1;
    std::int64_t least = 1;
};
Ints window_numbers(const NodeCall& node, std::string_view name, std::size_t count, WindowNumbers allowed);
// OpError when the attribute kernel_shape is there and says something else.
void check_kernel(const NodeCall& node, const Ints& kernel);

// `kernel` is that of the weight; empty: the attribute kernel_shape.
Windows windows_of(const NodeCall& node, Ints kernel);
// The power of a norm over windows, an attribute that is a float in the first version.
std::int64_t norm_of(const NodeCall& node);
// The padding as an attribute. Where it depends on extents that are not known, x is padded with `value` first.
Ints padding_of(NodeCall& node, const Windows& windows, Val& x, double value);

} // namespace hidet::graph::onnx
