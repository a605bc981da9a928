// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
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

// In one, two and three spatial dimensions, and in more.
OpId of_rank(const std::array<OpId, 4>& ops, std::size_t rank) {
    return ops[std::min<std::size_t>(rank, 4) - 1];
}
constexpr std::array max_pools = {OpId::MaxPool1d, OpId::MaxPool2d, OpId::MaxPool3d, OpId::MaxPoolNd};
constexpr std::array mean_pools = {OpId::AvgPool1d, OpId::AvgPool2d, OpId::AvgPool3d, OpId::AvgPoolNd};

} // namespace

Vals max_pool(NodeCall& node) {
    const Windows windows = windows_of(node, {});
    Val x = node.in();
    const ir::DType dtype = x->spec.dtype;
    const double least = ir::is_float(dtype) ? -std::numeric_limits<double>::infinity()
                                             : static_cast<double>(ir::integer_range(dtype).lowest);
    Attributes attributes = attributes_of(node, windows, padding_of(node, windows, x, least));
    if (!node.wants_output(1))
        return {node.add(of_rank(max_pools, windows.rank), {x}, std::move(attributes))};
    attributes.set("storage_order", node.i("storage_order", 0));
    return node.add_all(OpId::MaxPoolWithIndices, {x}, std::move(attributes));
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
    return {node.add(of_rank(mean_pools, windows.rank), {x}, std::move(attributes))};
}

Vals lp_pool(NodeCall& node) {
    const Windows windows = windows_of(node, {});
    Val x = node.in();
    Attributes attributes = attributes_of(node, windows, padding_of(node, windows, x, 0));
    attributes.set("p", norm_of(node));
    return {node.add(OpId::LpPool, {x}, std::move(attributes))};
}

Vals max_unpool(NodeCall& node) {
    const Windows windows = windows_of(node, {});
    Val x = node.in(0);
    Attributes attributes = {
        {"kernel", windows.kernel}, {"stride", windows.strides}, {"padding", padding_of(node, windows, x, 0)}};
    if (node.has(2))
        attributes.set("output_shape", node.ints_in(2));
    return {node.add(OpId::MaxUnpool, {x, node.in(1)}, std::move(attributes))};
}

} // namespace hidet::graph::onnx
