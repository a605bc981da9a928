// SPDX-License-Identifier: Apache-2.0
// Functions of one element with the sums around them.
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/microsoft/parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

Val gelu_of(NodeCall& node, const Val& x, bool approximate) {
    return node.add(OpId::Gelu, {x}, {{"approximate", approximate}});
}

} // namespace

// x * sigmoid(alpha * x)
Vals quick_gelu(NodeCall& node) {
    const Val x = widened(node, node.in());
    const double alpha = node.f("alpha", 1.702);
    const Val scaled = node.add(OpId::Multiply, {x, node.scalar(x->spec.dtype, alpha)});
    return {node.cast(node.add(OpId::Multiply, {x, node.add(OpId::Sigmoid, {scaled})}), node.dtype())};
}

Vals bias_gelu(NodeCall& node) {
    const Val sum = biased(node, widened(node, node.in(0)), node.in(1));
    return {node.cast(gelu_of(node, sum, false), node.dtype())};
}

Vals fast_gelu(NodeCall& node) {
    const Val sum = biased(node, widened(node, node.in(0)), node.optional_in(1));
    return {node.cast(gelu_of(node, sum, true), node.dtype())};
}

// The left half of the last dimension times the function of the right half.
Vals bias_split_gelu(NodeCall& node) {
    const Val sum = biased(node, widened(node, node.in(0)), node.in(1));
    const Dim& extent = sum->spec.shape.back();
    const std::int64_t axis = static_cast<std::int64_t>(node.rank()) - 1;
    const auto known = constant_of(extent);
    if (!known || *known % 2 != 0)
        throw OpError("the last dimension of ", text_of(node.shape()), " has no two halves");
    const Dim half = dim(*known / 2);
    const Val right = gelu_of(node, node.slice(sum, axis, half, extent), false);
    return {node.cast(node.add(OpId::Multiply, {node.slice(sum, axis, dim(0), half), right}), node.dtype())};
}

Vals bias_add(NodeCall& node) {
    const Val sum = biased(node, widened(node, node.in(0)), node.in(1));
    return {node.cast(sum_of_one_shape(node, sum, widened(node, node.in(2)), "skip"), node.dtype())};
}

// All dimensions from the axis on count as one.
Vals bias_softmax(NodeCall& node) {
    const Val sum = sum_of_one_shape(node, widened(node, node.in(0)), widened(node, node.in(1)), "bias");
    const auto axis = normalise_axis(node.i("axis", 1), node.rank(), "axis");
    Shape flat(node.shape().begin(), node.shape().begin() + axis);
    flat.push_back(element_count(Shape(node.shape().begin() + axis, node.shape().end())));
    const Val powers = node.add(OpId::Softmax, {node.reshape(sum, flat)}, {{"axis", std::int64_t{-1}}});
    return {node.cast(node.reshape(powers, node.shape()), node.dtype())};
}

} // namespace hidet::graph::onnx
