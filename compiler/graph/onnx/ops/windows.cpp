// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/ops/windows.h"

#include <algorithm>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

Ints per_dimension(const NodeCall& node, std::string_view name, std::size_t rank, std::int64_t least) {
    const Ints values = node.ints(name, Ints(rank, 1));
    if (values.size() != rank)
        throw OpError(std::string(name) + " has " + std::to_string(values.size()) + " entries for " +
                      std::to_string(rank) + " spatial dimensions");
    for (std::int64_t each : values)
        if (each < least || each > 1 << 30)
            throw OpError(std::string(name) + " " + std::to_string(each) + " makes no sense");
    return values;
}

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

Windows windows_of(const NodeCall& node, Ints kernel) {
    if (node.rank() < 3)
        throw OpError("windows want a batch, channels and spatial dimensions, not a tensor of shape " +
                      text_of(node.shape()));
    Windows windows;
    windows.rank = node.rank() - 2;
    windows.kernel = kernel.empty() ? per_dimension(node, "kernel_shape", windows.rank, 1) : std::move(kernel);
    if (windows.kernel.size() != windows.rank)
        throw OpError("the kernel has " + std::to_string(windows.kernel.size()) + " dimensions and the tensor " +
                      std::to_string(windows.rank));
    windows.strides = per_dimension(node, "strides", windows.rank, 1);
    windows.dilations = per_dimension(node, "dilations", windows.rank, 1);
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
        throw OpError("auto_pad '" + automatic + "' is unknown");
    const Ints pads = automatic == "VALID" ? Ints() : node.ints("pads");
    if (!pads.empty() && pads.size() != windows.rank * 2)
        throw OpError("there are " + std::to_string(pads.size()) + " pads for " + std::to_string(windows.rank) +
                      " spatial dimensions");
    for (std::size_t d = 0; d < windows.rank && !pads.empty(); ++d) {
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

} // namespace hidet::graph::onnx
