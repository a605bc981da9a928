// SPDX-License-Identifier: Apache-2.0
// Operators whose results depend on data in their places or extents; random numbers.
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/ops/composed/scatter.h"

namespace hidet::graph::onnx {

namespace {

Attributes random_attributes(const NodeCall& node, std::int32_t type) {
    Attributes attributes;
    if (node.has_attribute("seed"))
        attributes.set("seed", node.f("seed", 0));
    attributes.set("dtype", node.type("dtype", type));
    return attributes;
}

} // namespace

Vals top_k(NodeCall& node) {
    const std::int64_t k = node.opset() >= 10 ? node.int_in(1) : node.i("k");
    return node.add_all(OpId::TopK, {node.in()},
                        {{"k", k},
                         {"axis", node.i("axis", -1)},
                         {"largest", node.i("largest", 1) != 0},
                         {"sorted", node.i("sorted", 1) != 0}});
}

Vals non_max_suppression(NodeCall& node) {
    const auto number = [&](std::size_t i, double otherwise) { return node.has(i) ? node.number_in(i) : otherwise; };
    return {node.add(OpId::NonMaxSuppression, {node.in(0), node.in(1)},
                     {{"max_output_boxes_per_class", node.has(2) ? node.int_in(2) : std::int64_t{0}},
                      {"iou_threshold", number(3, 0)},
                      {"score_threshold", number(4, -1e30)},
                      {"center_point_box", node.i("center_point_box", 0)}})};
}

Vals unique(NodeCall& node) {
    Attributes attributes = {{"sorted", node.i("sorted", 1) != 0}};
    if (node.has_attribute("axis"))
        attributes.set("axis", node.i("axis"));
    return node.add_all(OpId::Unique, {node.in()}, std::move(attributes));
}

Vals compress(NodeCall& node) {
    Attributes attributes;
    if (node.has_attribute("axis"))
        attributes.set("axis", node.i("axis"));
    return {node.add(OpId::Compress, {node.in(0), node.in(1)}, std::move(attributes))};
}

Vals scatter_elements(NodeCall& node) {
    const std::int64_t axis = normalise_axis(node.i("axis", 0), node.rank(), "axis");
    node.check_indices(1, node.shape()[static_cast<std::size_t>(axis)]);
    return {node.add(scatter_elements_op(node.shape(0), node.shape(1), axis).id, {node.in(0), node.in(1), node.in(2)},
                     {{"axis", axis}, {"reduction", node.s("reduction", "none")}})};
}

Vals scatter_nd(NodeCall& node) {
    node.check_coordinates(1, 0);
    const std::string reduction = node.s("reduction", "none");
    return {node.add(scatter_nd_op(node.shape(0), node.shape(1), reduction).id, {node.in(0), node.in(1), node.in(2)},
                     {{"reduction", reduction}})};
}

Vals bernoulli(NodeCall& node) {
    return {node.add(OpId::Bernoulli, {node.in()}, random_attributes(node, elem_type_of(node.dtype())))};
}

Vals multinomial(NodeCall& node) {
    Attributes attributes = random_attributes(node, Int32);
    attributes.set("sample_size", node.i("sample_size", 1));
    return {node.add(OpId::Multinomial, {node.in()}, std::move(attributes))};
}

Vals random_like(NodeCall& node, OpId op) {
    Attributes attributes = random_attributes(node, elem_type_of(node.dtype()));
    const bool is_normal = op == OpId::RandomNormalLike;
    attributes.set(is_normal ? "mean" : "low", node.f(is_normal ? "mean" : "low", 0));
    attributes.set(is_normal ? "scale" : "high", node.f(is_normal ? "scale" : "high", 1));
    return {node.add(op, {node.in()}, std::move(attributes))};
}

Vals random(NodeCall& node, OpId op) {
    Attributes attributes = random_attributes(node, Float);
    const bool is_normal = op == OpId::RandomNormal;
    attributes.set(is_normal ? "mean" : "low", node.f(is_normal ? "mean" : "low", 0));
    attributes.set(is_normal ? "scale" : "high", node.f(is_normal ? "scale" : "high", 1));
    attributes.set("shape", shape_of(node.ints("shape")));
    return {node.add(op, {}, std::move(attributes))};
}

} // namespace hidet::graph::onnx
