// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/ops/windows.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

Dim not_negative(const Dim& value) {
    if (const auto known = constant_of(value))
        return dim(std::max<std::int64_t>(*known, 0));
    return ir::math(ir::IntrinsicId::Max, {value, dim(0)});
}

// As many results as strides fit into the extent: the window reaches out by what is missing.
Dim missing(const Dim& extent, std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
    const std::int64_t reach = (kernel - 1) * dilation + 1;
    if (stride == 1)
        return dim(reach - 1);
    const Dim results = ir::floor_div(ir::add(extent, dim(stride - 1)), dim(stride));
    const Dim needed = ir::add(ir::mul(ir::sub(results, dim(1)), dim(stride)), dim(reach));
    return not_negative(simplified(ir::sub(needed, extent)));
}

} // namespace

Ints window_numbers(const NodeCall& node, std::string_view name, std::size_t count, WindowNumbers allowed) {
    const Ints values = node.ints(name, Ints(count, allowed.otherwise));
    if (values.size() != count)
        throw OpError(name, " has ", values.size(), " entries, not ", count);
    for (std::int64_t each : values)
        if (each < allowed.least || each > 1 << 30)
            throw OpError(name, " ", each, " makes no sense");
    return values;
}

void check_kernel(const NodeCall& node, const Ints& kernel) {
    if (const Ints said = node.ints("kernel_shape", kernel); said != kernel)
        throw OpError("kernel_shape is ", graph::text_of(graph::Attribute(said)), ", and the weight has a kernel of ",
                      graph::text_of(graph::Attribute(kernel)));
}

Windows windows_of(const NodeCall& node, Ints kernel) {
    if (node.rank() < 3)
        throw OpError("windows want a batch, channels and spatial dimensions, not a tensor of shape ",
                      text_of(node.shape()));
    Windows windows;
    windows.rank = node.rank() - 2;
    if (kernel.empty())
        kernel = window_numbers(node, "kernel_shape", windows.rank, {.otherwise = 0, .least = 1});
    check_kernel(node, kernel);
    windows.kernel = std::move(kernel);
    if (windows.kernel.size() != windows.rank)
        throw OpError("the kernel has ", windows.kernel.size(), " dimensions and the tensor ", windows.rank);
    windows.strides = window_numbers(node, "strides", windows.rank, {.otherwise = 1, .least = 1});
    windows.dilations = window_numbers(node, "dilations", windows.rank, {.otherwise = 1, .least = 1});
    const std::string automatic = node.s("auto_pad", "NOTSET");
    windows.begins.assign(windows.rank, dim(0));
    windows.ends.assign(windows.rank, dim(0));
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        for (std::size_t d = 0; d < windows.rank; ++d) {
            const Dim total = missing(node.shape()[d + 2], windows.kernel[d], windows.strides[d], windows.dilations[d]);
            const Dim half = simplified(ir::floor_div(total, dim(2)));
            const Dim rest = simplified(ir::sub(total, half));
            windows.begins[d] = automatic == "SAME_UPPER" ? half : rest;
            windows.ends[d] = automatic == "SAME_UPPER" ? rest : half;
        }
        return windows;
    }
    if (automatic != "NOTSET" && automatic != "VALID")
        throw OpError("auto_pad '", automatic, "' is unknown");
    if (automatic == "VALID")
        return windows;
    const Ints pads = window_numbers(node, "pads", windows.rank * 2, {.otherwise = 0, .least = -(1 << 30)});
    for (std::size_t d = 0; d < windows.rank; ++d) {
        windows.begins[d] = dim(pads[d]);
        windows.ends[d] = dim(pads[windows.rank + d]);
    }
    return windows;
}

Ints padding_of(NodeCall& node, const Windows& windows, Val& x, double value) {
    Shape both = windows.begins;
    both.insert(both.end(), windows.ends.begin(), windows.ends.end());
    const std::optional<Ints> known = constant_shape(both);
    const bool is_plain = known && std::ranges::all_of(*known, [](std::int64_t each) { return each >= 0; });
    if (is_plain)
        return *known;
    Shape pads = {dim(0), dim(0)};
    pads.insert(pads.end(), windows.begins.begin(), windows.begins.end());
    pads.insert(pads.end(), {dim(0), dim(0)});
    pads.insert(pads.end(), windows.ends.begin(), windows.ends.end());
    x = node.add(OpId::Pad, {x}, {{"pads", pads}, {"mode", std::string("constant")}, {"value", value}});
    return Ints(windows.rank * 2, 0);
}

std::int64_t norm_of(const NodeCall& node) {
    const double p = node.opset() > 1 ? static_cast<double>(node.i("p", 2)) : node.f("p", 2);
    if (p < 1 || p > 1 << 20 || p != std::floor(p))
        throw OpError("norms of the power ", std::to_string(p), " are not supported");
    return static_cast<std::int64_t>(p);
}

} // namespace hidet::graph::onnx
