// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/windows.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

Ints spatial_dims(const NodeCall& node) {
    if (node.rank() < 2)
        throw OpError("a pool wants a batch and channels, not a tensor of shape ", text_of(node.shape()));
    return dims_from(2, node.rank());
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
    return {node.add(op, {node.in()}, {{"dims", axes}, {"keepdims", node.i("keepdims", 1) != 0}})};
}

Vals arg_reduction(NodeCall& node, OpId op) {
    return {node.add(op, {node.in()},
                     {{"dim", node.i("axis", 0)},
                      {"keepdims", node.i("keepdims", 1) != 0},
                      {"select_last", node.i("select_last_index", 0) != 0}})};
}

namespace {

enum class Upto : std::uint8_t { Before, Including };

// Of the elements of each row up to each one.
Val products_up_to(NodeCall& node, const Val& x, Upto end) {
    const Dim& extent = x->spec.shape.back();
    const Val places = node.count_up(dim(0), extent);
    const Val counts = node.add(end == Upto::Including ? OpId::LessEqual : OpId::Less,
                                {places, node.reshape(places, {extent, dim(1)})});
    const Val factors = node.add(OpId::Where, {counts, node.unsqueeze(x, {-2}), node.scalar(x->spec.dtype, 1)});
    return node.add(OpId::ReduceProd, {factors}, {{"dims", Ints{-1}}, {"keepdims", false}});
}

// Long rows are cut into chunks, whose products come first: a row takes as many products for each element as there are in a
// chunk, not in the row.
Val running_products(NodeCall& node, const Val& x, Upto end) {
    constexpr std::int64_t chunk = 64;
    const Shape& shape = x->spec.shape;
    const Dim extent = shape.back();
    if (const auto known = constant_of(extent); known && *known <= chunk)
        return products_up_to(node, x, end);
    const Dim chunks = simplified(ir::floor_div(ir::add(extent, dim(chunk - 1)), dim(chunk)));
    const Dim padded = simplified(ir::mul(chunks, dim(chunk)));
    Shape pads(shape.size() * 2, dim(0));
    pads.back() = simplified(ir::sub(padded, extent));
    Shape cut(shape.begin(), shape.end() - 1);
    cut.insert(cut.end(), {chunks, dim(chunk)});
    const Val parts = node.reshape(node.add(OpId::Pad, {x, node.scalar(x->spec.dtype, 1)}, {{"pads", pads}}), cut);
    const Val whole = node.add(OpId::ReduceProd, {parts}, {{"dims", Ints{-1}}, {"keepdims", false}});
    const Val front =
        constant_of(chunks) ? running_products(node, whole, Upto::Before) : products_up_to(node, whole, Upto::Before);
    const Val before = node.unsqueeze(front, {-1});
    const Val y = node.add(OpId::Multiply, {before, products_up_to(node, parts, end)});
    Shape joined(shape.begin(), shape.end() - 1);
    joined.push_back(padded);
    return node.slice(node.reshape(y, joined), static_cast<std::int64_t>(shape.size()) - 1, dim(0), extent);
}

} // namespace

Vals cum_prod(NodeCall& node) {
    const std::int64_t axis = normalise_axis(node.int_in(1), node.rank(), "axis");
    const auto last = static_cast<std::int64_t>(node.rank()) - 1;
    Ints swapped;
    for (std::int64_t d = 0; d <= last; ++d)
        swapped.push_back(d == axis ? last : d == last ? axis : d);
    const bool is_reversed = node.i("reverse", 0) != 0;
    const auto turned = [&](const Val& x) {
        return is_reversed ? node.add(OpId::Flip, {x}, {{"dims", Ints{last}}}) : x;
    };
    const Val rows = turned(node.transpose(node.in(), swapped));
    const Upto end = node.i("exclusive", 0) != 0 ? Upto::Before : Upto::Including;
    return {node.transpose(turned(running_products(node, rows, end)), swapped)};
}

// Before version 13 all dimensions from the axis on count as one.
Vals softmax(NodeCall& node, OpId op) {
    if (node.opset() >= 13)
        return {node.add(op, {node.in()}, {{"axis", node.i("axis", -1)}})};
    const Shape shape = node.shape();
    std::int64_t axis = node.i("axis", 1);
    if (axis == static_cast<std::int64_t>(shape.size()))
        throw OpError("axis ", axis, " is out of range for ", text_of(shape));
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
