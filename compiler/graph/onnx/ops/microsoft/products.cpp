// SPDX-License-Identifier: Apache-2.0
// Products of matrices and convolutions with what stands around them.
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/microsoft/parts.h"

namespace hidet::graph::onnx {

namespace {

// Attributes of the operator that was fused have its names behind "activation_".
Activation attributes_of_activation(const NodeCall& node) {
    Activation activation = {node.s("activation", ""), {}};
    static const char* const names[] = {"activation_alpha", "activation_beta", "activation_gamma"};
    std::size_t next = 0;
    for (const char* name : names)
        if (node.has_attribute(name))
            activation.parameters[next++] = node.f(name, 0);
    if (next == 1 && !node.has_attribute("activation_alpha"))
        throw OpError("activation '", activation.name, "' has no activation_alpha");
    return activation;
}

Activation list_of_activation(const NodeCall& node) {
    Activation activation = {node.s("activation", ""), {}};
    const Floats given = node.floats("activation_params");
    if (given.size() > activation.parameters.size())
        throw OpError("activation '", activation.name, "' has ", given.size(), " parameters");
    for (std::size_t k = 0; k < given.size(); ++k)
        activation.parameters[k] = given[k];
    return activation;
}

// With `batch` the first dimension stands where the rows do, and those behind it count the matrices.
Val arranged(NodeCall& node, const Val& x, bool transposes, bool batch) {
    const auto rank = static_cast<std::int64_t>(x->spec.shape.size());
    if (rank < 2)
        return x; // a vector has nothing to exchange
    Ints axes;
    for (std::int64_t d = batch ? 1 : 0; d < rank - (batch ? 1 : 2); ++d)
        axes.push_back(d);
    const std::int64_t row = batch ? 0 : rank - 2;
    axes.push_back(transposes ? rank - 1 : row);
    axes.push_back(transposes ? row : rank - 1);
    return node.transpose(x, axes);
}

Val fused_product(NodeCall& node) {
    if (node.dtype(0) != node.dtype(1))
        throw OpError("operands of ", text_of(node.in(0)->spec), " and ", text_of(node.in(1)->spec));
    const Val a = arranged(node, node.in(0), node.i("transA", 0) != 0, node.i("transBatchA", 0) != 0);
    const bool transposes_b = node.i("transB", 0) != 0 && node.rank(1) >= 2;
    const bool moves_batch = node.i("transBatchB", 0) != 0;
    const Val b = moves_batch ? arranged(node, node.in(1), transposes_b, true) : node.in(1);
    const Val y = node.add(OpId::Matmul, {a, b}, {{"transpose_b", transposes_b && !moves_batch}});
    const double alpha = node.f("alpha", 1);
    return alpha == 1 ? y : node.add(OpId::Multiply, {y, node.scalar(y->spec.dtype, alpha)});
}

// Operands of a convolution, then a sum with Z and the activation.
Val fused_convolution(NodeCall& node, const Val& x, const Val& addend) {
    NodeCall plain = node.with({x, node.in(1), node.optional_in(2)});
    Val y = conv(plain).front();
    if (addend)
        y = sum_of_one_shape(node, y, addend, "Z");
    return activated(node, y, list_of_activation(node));
}

} // namespace

Vals fused_conv(NodeCall& node) {
    return {fused_convolution(node, node.in(0), node.optional_in(3))};
}

// The weight is laid out as it is without channels that stand last.
Vals nhwc_conv(NodeCall& node) {
    const Val addend = node.has(3) ? channels_first(node, node.in(3)) : nullptr;
    return {channels_last(node, fused_convolution(node, channels_first(node, node.in(0)), addend))};
}

Vals nhwc_max_pool(NodeCall& node) {
    NodeCall pool = node.with({channels_first(node, node.in())});
    return {channels_last(node, max_pool(pool).front())};
}

Vals fused_gemm(NodeCall& node) {
    return {activated(node, gemm(node).front(), attributes_of_activation(node))};
}

Vals fused_matmul(NodeCall& node) {
    return {fused_product(node)};
}

Vals fused_matmul_activation(NodeCall& node) {
    if (const std::string name = node.s("activation", ""); name == "Softmax" || name == "LogSoftmax")
        return {node.add(name == "Softmax" ? OpId::Softmax : OpId::LogSoftmax, {fused_product(node)},
                         {{"axis", node.i("activation_axis", -1)}})};
    return {activated(node, fused_product(node), attributes_of_activation(node))};
}

Vals gemm_fast_gelu(NodeCall& node) {
    const Val product = node.add(OpId::Matmul, {node.in(0), node.in(1)});
    const Val sum = biased(node, widened(node, product), node.optional_in(2));
    return {node.cast(node.add(OpId::Gelu, {sum}, {{"approximate", true}}), node.dtype())};
}

} // namespace hidet::graph::onnx
