// SPDX-License-Identifier: Apache-2.0
// Losses, as values.
#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

namespace {

Val reduced(NodeCall& node, OpId op, const Val& x) {
    return node.add(op, {x}, {{"dims", Ints()}, {"keepdims", false}});
}

// scores: [n, classes, ...] of logarithms; labels: [n, ...]; weights of classes may be null.
Val negative_log_likelihood(NodeCall& node, const Val& scores, const Val& labels, const Val& weights) {
    const std::string reduction = node.s("reduction", "mean");
    if (reduction != "mean" && reduction != "sum" && reduction != "none")
        throw OpError("reduction '", reduction, "' is none of mean, sum and none");
    const bool ignores = node.has_attribute("ignore_index");
    Val taken = labels;
    Val ignored;
    if (ignores) {
        ignored = node.add(OpId::Equal,
                           {labels, node.scalar(labels->spec.dtype, static_cast<double>(node.i("ignore_index", 0)))});
        taken = node.add(OpId::Where, {ignored, node.scalar(labels->spec.dtype, 0), labels});
    }
    const Val picked =
        node.squeeze(node.add(OpId::Gather, {scores, node.unsqueeze(taken, {1})}, {{"axis", std::int64_t{1}}}), {1});
    Val loss = node.add(OpId::Negative, {picked});
    const ir::DType dtype = scores->spec.dtype;
    Val weight = weights ? node.add(OpId::Take, {weights, taken}, {{"axis", std::int64_t{0}}}) : nullptr;
    if (ignores)
        weight = node.add(OpId::Where, {ignored, node.scalar(dtype, 0), weight ? weight : node.scalar(dtype, 1)});
    if (weight)
        loss = node.add(OpId::Multiply, {loss, weight});
    if (reduction == "none")
        return loss;
    if (reduction == "mean" && !weight)
        return reduced(node, OpId::ReduceMean, loss);
    const Val total = reduced(node, OpId::ReduceSum, loss);
    return reduction == "sum" ? total : node.add(OpId::Divide, {total, reduced(node, OpId::ReduceSum, weight)});
}

} // namespace

Vals negative_log_likelihood_loss(NodeCall& node) {
    return {negative_log_likelihood(node, node.in(0), node.in(1), node.optional_in(2))};
}

Vals softmax_cross_entropy_loss(NodeCall& node) {
    const Val scores = node.add(OpId::LogSoftmax, {node.in(0)}, {{"axis", std::int64_t{1}}});
    return {negative_log_likelihood(node, scores, node.in(1), node.optional_in(2)), scores};
}

} // namespace hidet::graph::onnx
