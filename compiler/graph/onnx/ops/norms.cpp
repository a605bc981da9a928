// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/conversions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

// A vector of channels against [n, c, spatial...].
Val by_channel(NodeCall& node, const Val& vector, std::size_t rank) {
    Shape shape(rank, dim(1));
    if (vector->spec.shape.size() != 1)
        throw OpError("a vector of channels is of shape ", text_of(vector->spec.shape));
    if (rank > 1)
        shape[1] = vector->spec.shape[0];
    else
        shape[0] = vector->spec.shape[0];
    return node.reshape(vector, shape);
}

Val affine(NodeCall& node, const Val& x, const Val& scale, const Val& bias) {
    const Val scaled = node.add(OpId::Multiply, {x, scale});
    return bias ? node.add(OpId::Add, {scaled, bias}) : scaled;
}

ir::DType wide(ir::DType dtype) {
    return dtype == ir::DType::F64 ? dtype : ir::DType::F32;
}

} // namespace

Vals prelu(NodeCall& node) {
    Val slope = node.in(1);
    // Before version 7 a slope of one dimension was one of channels.
    if (node.opset() < 7 && slope->spec.shape.size() == 1 && !ir::is_constant(slope->spec.shape[0], 1))
        slope = by_channel(node, slope, node.rank());
    return {node.add(OpId::PRelu, {node.in(0), slope})};
}

namespace {

struct Moments {
    Val mean; // of each channel
    Val variance;
};

// Networks that standardise their weights say it with a normalisation that is in training.
Moments moments_of(NodeCall& node, ir::DType dtype) {
    Ints dims = dims_from(2, node.rank());
    dims.insert(dims.begin(), 0);
    const Val x = node.cast(node.in(0), dtype);
    const Attributes over = {{"dims", dims}, {"keepdims", false}};
    return {node.add(OpId::ReduceMean, {x}, over), node.add(OpId::ReduceVar, {x}, over)};
}

// What a statistic that goes on through the batches becomes.
Val updated(NodeCall& node, const Val& old, const Val& now) {
    const ir::DType dtype = now->spec.dtype;
    const double momentum = node.f("momentum", 0.9);
    const Val kept = node.add(OpId::Multiply, {node.cast(old, dtype), node.scalar(dtype, momentum)});
    const Val added = node.add(OpId::Multiply, {now, node.scalar(dtype, 1 - momentum)});
    return node.cast(node.add(OpId::Add, {kept, added}), old->spec.dtype);
}

} // namespace

// y = x * scale / sqrt(variance + epsilon) + (bias - mean * scale / sqrt(variance + epsilon))
Vals batch_normalization(NodeCall& node) {
    if (node.opset() < 7 && node.i("is_test", 0) == 0 && node.wants_output(1))
        throw OpError("training is not supported");
    const bool trains = node.opset() >= 14 && node.i("training_mode", 0) != 0;
    if (trains && node.rank() < 2)
        throw OpError("training wants a batch and channels, not ", text_of(node.shape()));
    const ir::DType dtype = wide(node.dtype(3));
    const Moments moments =
        trains ? moments_of(node, dtype) : Moments{node.cast(node.in(3), dtype), node.cast(node.in(4), dtype)};
    const Val& variance = moments.variance;
    const Val epsilon = node.scalar(dtype, node.f("epsilon", 1e-5));
    const Val root = node.add(OpId::Sqrt, {node.add(OpId::Add, {variance, epsilon})});
    const Val scale = node.add(OpId::Divide, {node.cast(node.in(1), dtype), root});
    const Val shift =
        node.add(OpId::Subtract, {node.cast(node.in(2), dtype), node.add(OpId::Multiply, {moments.mean, scale})});
    const Val x = node.cast(node.in(0), dtype);
    const Val y = affine(node, x, by_channel(node, scale, node.rank()), by_channel(node, shift, node.rank()));
    Vals results = {node.cast(y, node.dtype())};
    if (trains) {
        results.push_back(updated(node, node.in(3), moments.mean));
        results.push_back(updated(node, node.in(4), moments.variance));
    }
    return results;
}

Vals instance_normalization(NodeCall& node) {
    const Val y = node.add(OpId::Normalize, {node.in()},
                           {{"dims", dims_from(2, node.rank())}, {"epsilon", node.f("epsilon", 1e-5)}});
    return {affine(node, y, by_channel(node, node.in(1), node.rank()), by_channel(node, node.in(2), node.rank()))};
}

Vals layer_normalization(NodeCall& node) {
    const std::int64_t axis = normalise_axis(node.i("axis", -1), node.rank(), "axis");
    const Ints dims = dims_from(axis, node.rank());
    const double epsilon = node.f("epsilon", 1e-5);
    const Val y = node.add(OpId::Normalize, {node.in()}, {{"dims", dims}, {"epsilon", epsilon}});
    Vals results = {affine(node, y, node.in(1), node.optional_in(2))};
    if (!node.wants_output(1) && !node.wants_output(2))
        return results;
    const Val x = node.cast(node.in(), wide(node.dtype()));
    const Attributes over = {{"dims", dims}, {"keepdims", true}};
    const Val variance = node.add(OpId::ReduceVar, {x}, over);
    const Val root = node.add(OpId::Sqrt, {node.add(OpId::Add, {variance, node.scalar(x->spec.dtype, epsilon)})});
    results.push_back(node.add(OpId::ReduceMean, {x}, over));
    results.push_back(node.add(OpId::Reciprocal, {root}));
    return results;
}

Vals rms_normalization(NodeCall& node) {
    const std::int64_t axis = normalise_axis(node.i("axis", -1), node.rank(), "axis");
    const Val y = node.add(OpId::RmsNormalize, {node.in()},
                           {{"dims", dims_from(axis, node.rank())}, {"epsilon", node.f("epsilon", 1e-5)}});
    return {affine(node, y, node.in(1), nullptr)};
}

// Scale and bias are those of groups before version 21, then those of channels.
Vals group_normalization(NodeCall& node) {
    const std::int64_t groups = node.i("num_groups");
    const Shape shape = node.shape();
    if (shape.size() < 2 || groups < 1)
        throw OpError("groups want a tensor with channels, not one of shape ", text_of(shape));
    Shape grouped = {shape[0], dim(groups), simplified(ir::floor_div(shape[1], dim(groups)))};
    grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
    Val y = node.add(OpId::Normalize, {node.reshape(node.in(), grouped)},
                     {{"dims", dims_from(2, grouped.size())}, {"epsilon", node.f("epsilon", 1e-5)}});
    const auto by_group = [&](std::size_t i) { return by_channel(node, node.in(i), grouped.size()); };
    const bool is_old = node.opset() < 21;
    if (is_old)
        y = affine(node, y, by_group(1), by_group(2));
    y = node.reshape(y, shape);
    if (!is_old)
        y = affine(node, y, by_channel(node, node.in(1), shape.size()), by_channel(node, node.in(2), shape.size()));
    return {y};
}

} // namespace hidet::graph::onnx
