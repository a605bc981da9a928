// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/windows.h"

namespace hidet::graph::onnx {

namespace {

Ints spatial_dims(const NodeCall& node) {
    if (node.rank() < 2)
        throw OpError("a pool wants a batch and channels, not a tensor of shape " + text_of(node.shape()));
    Ints dims;
    for (std::size_t d = 2; d < node.rank(); ++d)
        dims.push_back(static_cast<std::int64_t>(d));
    return dims;
}

// Of one dimension there is nothing to reduce.
Vals global_pool(NodeCall& node, OpId op) {
    const Ints dims = spatial_dims(node);
    return {dims.empty() ? node.in() : node.add(op, {node.in()}, {{"dims", dims}, {"keepdims", true}})};
}

} // namespace

Vals reduction(NodeCall& node, OpId op) {
    const bool has_operand = node.opset() >= (op == OpId::ReduceSum ? 13 : 18);
    Ints axes;
    if (has_operand)
        axes = node.has(1) ? node.ints_in(1) : Ints();
    else
        axes = node.ints("axes");
    if (axes.empty() && has_operand && node.i("noop_with_empty_axes", 0) != 0) {
        if (is_any_of(op, {OpId::ReduceSum, OpId::ReduceMean, OpId::ReduceMax, OpId::ReduceMin, OpId::ReduceProd}))
            return {node.in()};
        // The function of one element each: a reduction over a dimension of 1.
        const Val one = node.unsqueeze(node.in(), {-1});
        return {node.add(op, {one}, {{"dims", Ints{-1}}, {"keepdims", false}})};
    }
    if (axes.empty() && node.rank() == 0)
        axes.clear();
    return {node.add(op, {node.in()}, {{"dims", axes}, {"keepdims", node.i("keepdims", 1) != 0}})};
}

Vals arg_reduction(NodeCall& node, OpId op) {
    return {node.add(op, {node.in()},
                     {{"dim", node.i("axis", 0)},
                      {"keepdims", node.i("keepdims", 1) != 0},
                      {"select_last", node.i("select_last_index", 0) != 0}})};
}

Vals cum_sum(NodeCall& node) {
    return {node.add(
        OpId::CumulativeSum, {node.in()},
        {{"dim", node.int_in(1)}, {"exclusive", node.i("exclusive", 0) != 0}, {"reverse", node.i("reverse", 0) != 0}})};
}

// Before version 13 all dimensions from the axis on count as one.
Vals softmax(NodeCall& node, OpId op) {
    if (node.opset() >= 13)
        return {node.add(op, {node.in()}, {{"axis", node.i("axis", -1)}})};
    const Shape shape = node.shape();
    std::int64_t axis = node.i("axis", 1);
    if (axis == static_cast<std::int64_t>(shape.size()))
        throw OpError("axis " + std::to_string(axis) + " is out of range for " + text_of(shape));
    axis = normalise_axis(axis, shape.size(), "axis");
    if (axis + 1 == static_cast<std::int64_t>(shape.size()))
        return {node.add(op, {node.in()}, {{"axis", axis}})};
    Shape flat(shape.begin(), shape.begin() + axis);
    flat.push_back(element_count(Shape(shape.begin() + axis, shape.end())));
    return {node.reshape(node.add(op, {node.reshape(node.in(), flat)}, {{"axis", std::int64_t{-1}}}), shape)};
}

Vals global_average_pool(NodeCall& node) {
    return global_pool(node, OpId::ReduceMean);
}
Vals global_max_pool(NodeCall& node) {
    return global_pool(node, OpId::ReduceMax);
}

Vals global_lp_pool(NodeCall& node) {
    const auto p = static_cast<double>(norm_of(node));
    if (p == 1 || p == 2)
        return global_pool(node, p == 1 ? OpId::ReduceL1 : OpId::ReduceL2);
    const Val powers = node.add(OpId::Pow, {node.add(OpId::Abs, {node.in()}), node.scalar(node.dtype(), p)});
    const Val sums = node.add(OpId::ReduceSum, {powers}, {{"dims", spatial_dims(node)}, {"keepdims", true}});
    return {node.add(OpId::Pow, {sums, node.scalar(node.dtype(), 1 / p)})};
}

} // namespace hidet::graph::onnx
