// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

bool is_convolution(const Rewriting& rewriting, NodeId node) {
    return node.valid() && rewriting.is_any_of(node, {OpId::Conv1d, OpId::Conv2d, OpId::Conv3d, OpId::ConvNd});
}

bool is_transposed_convolution(const Rewriting& rewriting, NodeId node) {
    return node.valid() && rewriting.is_any_of(node, {OpId::Conv1dTranspose, OpId::Conv2dTranspose,
                                                      OpId::Conv3dTranspose, OpId::ConvNdTranspose});
}

// [out channels, ...] of a convolution; [channels, out channels / groups, ...] of a transposed one.
Shape scale_shape(std::size_t rank, const Dim& channels, bool is_transposed) {
    Shape shape(rank, dim(1));
    shape[is_transposed ? 1 : 0] = channels;
    return shape;
}

bool same_attributes(const Rewriting& rewriting, NodeId a, NodeId b) {
    const auto& x = rewriting.attributes(a).items();
    const auto& y = rewriting.attributes(b).items();
    return std::ranges::equal(
        x, y, [](const auto& p, const auto& q) { return p.first == q.first && same_attribute(p.second, q.second); });
}

// As `first`, but perhaps for the number of output channels.
bool is_sibling(const Rewriting& rewriting, NodeId first, NodeId other) {
    if (!rewriting.is(other, OpId::Conv2d) || rewriting.input(other, 0) != rewriting.input(first, 0) ||
        !rewriting.is_constant(rewriting.input(other, 1)) ||
        rewriting.graph.node(other).get<std::int64_t>("groups") != 1 || !same_attributes(rewriting, first, other))
        return false;
    const TensorSpec& w = rewriting.spec(rewriting.input(first, 1));
    const TensorSpec& v = rewriting.spec(rewriting.input(other, 1));
    return w.dtype == v.dtype &&
           same_shape(Shape(w.shape.begin() + 1, w.shape.end()), Shape(v.shape.begin() + 1, v.shape.end()));
}

} // namespace

bool scale_into_convolution(Rewriting& rewriting, NodeId root) {
    const auto scaled = constant_operand(rewriting, root);
    if (!scaled || !rewriting.only_reader(scaled->x, root))
        return false;
    const NodeId conv = rewriting.graph.value(scaled->x).producer;
    const bool is_transposed = is_transposed_convolution(rewriting, conv);
    if (!is_transposed && !is_convolution(rewriting, conv))
        return false;
    const ValueId w = rewriting.input(conv, 1);
    const TensorSpec result = rewriting.spec(scaled->x);
    const Shape scale = rewriting.spec(scaled->constant).shape;
    const auto at = dimension_of(scale, result.shape.size());
    if (!at || (*at != 1 && *at != -1) || !rewriting.is_constant(w) || result.shape.size() < 3 ||
        rewriting.spec(w).dtype != rewriting.spec(scaled->constant).dtype || !ir::is_float(result.dtype) ||
        !same_shape(rewriting.spec(rewriting.output(root)).shape, result.shape) ||
        (is_transposed && *at == 1 && rewriting.graph.node(conv).get<std::int64_t>("groups") != 1))
        return false;
    const Dim channels = *at == 1 ? result.shape[1] : dim(1);
    const ValueId factor =
        rewriting.add(OpId::Reshape, {scaled->constant},
                      {{"shape", scale_shape(rewriting.spec(w).shape.size(), channels, is_transposed)}});
    const ValueId weights = rewriting.add(OpId::Multiply, {w, factor});
    if (!rewriting.is_constant(weights) || !is_finite(*rewriting.graph.value(weights).data))
        return false;
    rewriting.graph.value(weights).name = rewriting.graph.value(w).name;
    const ValueId y = rewriting.add(rewriting.graph.node(conv).op->id, {rewriting.input(conv, 0), weights},
                                    rewriting.attributes(conv));
    rewriting.replace(rewriting.output(root), y);
    return true;
}

bool merge_convolutions(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    std::vector<NodeId> convolutions;
    for (const Use& use : rewriting.graph.value(x).uses)
        if (use.input == 0 && is_sibling(rewriting, root, use.node))
            convolutions.push_back(use.node);
    std::ranges::sort(convolutions);
    if (convolutions.size() < 2 || convolutions.front() != root)
        return false;
    std::vector<ValueId> weights;
    for (NodeId each : convolutions)
        weights.push_back(rewriting.input(each, 1));
    const ValueId all = rewriting.add(OpId::Concat, weights, {{"axis", std::int64_t(0)}});
    const ValueId y = rewriting.add(OpId::Conv2d, {x, all}, rewriting.attributes(root));
    Dim start = dim(0);
    for (NodeId each : convolutions) {
        const Dim end = simplified(ir::add(start, rewriting.spec(rewriting.input(each, 1)).shape[0]));
        rewriting.replace(
            rewriting.output(each),
            rewriting.add(OpId::StridedSlice, {y},
                          {{"starts", Shape{start}}, {"ends", Shape{end}}, {"axes", Ints{1}}, {"strides", Ints{1}}}));
        start = end;
    }
    return true;
}

} // namespace hidet::graph
