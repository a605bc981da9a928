// SPDX-License-Identifier: Apache-2.0
// softmax(q k * scale + mask) v, in any order in which exporters write it, is one operator. The scale goes to q, whose
// elements are fewer than those of the scores, and the division by the sum of the powers goes behind the product with v.
#include <cmath>

#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

bool is_half(ir::DType dtype) {
    return dtype == ir::DType::F16 || dtype == ir::DType::BF16;
}

// The softmax between may be computed in float32 where the products are in half precision: so does the operator.
ValueId without_cast(const Rewriting& rewriting, ValueId value) {
    const NodeId cast = rewriting.made_by(value, OpId::Cast);
    if (!cast.valid())
        return value;
    const ir::DType from = rewriting.spec(rewriting.input(cast, 0)).dtype;
    const ir::DType to = rewriting.spec(value).dtype;
    const bool is_harmless = (is_half(from) && to == ir::DType::F32) || (from == ir::DType::F32 && is_half(to));
    return is_harmless ? rewriting.input(cast, 0) : value;
}

struct Scores {
    NodeId product;
    ValueId mask; // invalid: none
    double scale = 1;
};

// The scores from the softmax's input upward: at most one mask, then any scales.
std::optional<Scores> scores_of(const Rewriting& rewriting, ValueId value) {
    Scores scores;
    for (int i = 0; i < 6; ++i) {
        value = without_cast(rewriting, value);
        const NodeId node = rewriting.graph.value(value).producer;
        if (!node.valid() || rewriting.graph.value(value).uses.size() != 1 || rewriting.graph.is_output(value))
            return std::nullopt;
        if (rewriting.is(node, OpId::Matmul)) {
            scores.product = node;
            return scores;
        }
        if (rewriting.is(node, OpId::Add) && !scores.mask.valid() && scores.scale == 1) {
            const bool is_right =
                rewriting.spec(rewriting.input(node, 1)).shape.size() == rewriting.spec(value).shape.size() &&
                scores_of(rewriting, rewriting.input(node, 1)).has_value();
            scores.mask = rewriting.input(node, is_right ? 0 : 1);
            value = rewriting.input(node, is_right ? 1 : 0);
            continue;
        }
        const bool is_product = rewriting.is(node, OpId::Multiply);
        const auto operand =
            is_product || rewriting.is(node, OpId::Divide) ? constant_operand(rewriting, node) : std::nullopt;
        const auto scalar = operand ? rewriting.scalar(operand->constant) : std::nullopt;
        if (!scalar || (operand->is_left && !is_product) || *scalar == 0 || !std::isfinite(*scalar))
            return std::nullopt;
        scores.scale *= is_product ? *scalar : 1 / *scalar;
        value = operand->x;
    }
    return std::nullopt;
}

} // namespace

bool recognise_attention(Rewriting& rewriting, NodeId root) {
    const TensorSpec result = rewriting.spec(rewriting.output(root));
    const ValueId shares = without_cast(rewriting, rewriting.input(root, 0));
    const NodeId softmax = rewriting.made_by(shares, OpId::Softmax);
    if (!softmax.valid() || rewriting.graph.node(root).get<bool>("transpose_b"))
        return false;
    const auto rank = static_cast<std::int64_t>(result.shape.size());
    const std::int64_t axis = rewriting.graph.node(softmax).get<std::int64_t>("axis");
    const auto is_kept = [&](ValueId value) {
        return rewriting.graph.value(value).uses.size() != 1 || rewriting.graph.is_output(value);
    };
    if ((axis != -1 && axis != rank - 1) || is_kept(shares) || is_kept(rewriting.input(root, 0)))
        return false;
    const auto scores = scores_of(rewriting, rewriting.input(softmax, 0));
    if (!scores || rewriting.graph.node(scores->product).get<bool>("transpose_b"))
        return false;
    ValueId q = rewriting.input(scores->product, 0);
    const ValueId k = rewriting.input(scores->product, 1);
    const ValueId v = rewriting.input(root, 1);
    for (ValueId each : {q, k, v})
        if (rewriting.spec(each).dtype != result.dtype ||
            rewriting.spec(each).shape.size() != static_cast<std::size_t>(rank))
            return false;
    if (scores->scale != 1)
        q = rewriting.add(OpId::Multiply, {q, rewriting.number(scores->scale, result.dtype)});
    const ValueId y = scores->mask.valid() ? rewriting.add(OpId::AttnMaskAdd, {q, k, v, scores->mask})
                                           : rewriting.add(OpId::Attn, {q, k, v}, {{"is_causal", false}});
    rewriting.replace(rewriting.output(root), y);
    return true;
}

} // namespace hidet::graph
