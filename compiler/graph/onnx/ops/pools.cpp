// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/windows.h"

namespace hidet::graph::onnx {

namespace {

Attributes attributes_of(const NodeCall& node, const Windows& windows, Ints padding) {
    return {{"kernel", windows.kernel},
            {"stride", windows.strides},
            {"padding", std::move(padding)},
            {"dilations", windows.dilations},
            {"ceil_mode", node.i("ceil_mode", 0) != 0}};
}

std::string of_rank(const std::string& name, std::size_t rank) {
    return rank <= 3 ? name + std::to_string(rank) + "d" : name + "Nd";
}

} // namespace

Vals max_pool(NodeCall& node) {
    const Windows windows = windows_of(node, {});
    Val x = node.in();
    Attributes attributes =
        attributes_of(node, windows, padding_of(node, windows, x, -std::numeric_limits<double>::infinity()));
    if (!node.wants_output(1))
        return {node.add(of_rank("MaxPool", windows.rank), {x}, std::move(attributes))};
    attributes.set("storage_order", node.i("storage_order", 0));
    return node.add_all("MaxPoolWithIndices", {x}, std::move(attributes));
}

Vals average_pool(NodeCall& node) {
    const Windows windows = windows_of(node, {});
    Val x = node.in();
    Shape both = windows.begins;
    both.insert(both.end(), windows.ends.begin(), windows.ends.end());
    const bool counts_padding = node.i("count_include_pad", 0) != 0;
    if (!counts_padding && !constant_shape(both))
        throw OpError("a mean without its padding, which is not known, is not supported");
    Attributes attributes = attributes_of(node, windows, padding_of(node, windows, x, 0));
    attributes.set("count_include_pad", counts_padding);
    return {node.add(of_rank("AvgPool", windows.rank), {x}, std::move(attributes))};
}

Vals lp_pool(NodeCall& node) {
    const Windows windows = windows_of(node, {});
    Val x = node.in();
    Attributes attributes = attributes_of(node, windows, padding_of(node, windows, x, 0));
    attributes.set("p", node.opset() == 1 ? static_cast<std::int64_t>(node.f("p", 2)) : node.i("p", 2));
    return {node.add("LpPool", {x}, std::move(attributes))};
}

Vals max_unpool(NodeCall& node) {
    const Windows windows = windows_of(node, {});
    Val x = node.in(0);
    Attributes attributes = {
        {"kernel", windows.kernel}, {"stride", windows.strides}, {"padding", padding_of(node, windows, x, 0)}};
    if (node.has(2))
        attributes.set("output_shape", node.ints_in(2));
    return {node.add("MaxUnpool", {x, node.in(1)}, std::move(attributes))};
}

} // namespace hidet::graph::onnx
