// SPDX-License-Identifier: Apache-2.0
// Layer normalisation and its kin, as exporters spell them: d / sqrt(mean(d * d) + epsilon), or d times the reciprocal of the
// root. Where d is x less its mean, that is Normalize; else it is RmsNormalize. What scales and shifts the result stays.
#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

struct MeanSquare {
    ValueId of;
    Ints dims;
    double epsilon = 0;
};

// The one value whose square this is.
std::optional<ValueId> squared(const Rewriting& rewriting, ValueId value) {
    if (const NodeId node = rewriting.made_by(value, OpId::Square); node.valid())
        return rewriting.input(node, 0);
    if (const NodeId node = rewriting.made_by(value, OpId::Pow);
        node.valid() && rewriting.scalar(rewriting.input(node, 1)) == 2)
        return rewriting.input(node, 0);
    if (const NodeId node = rewriting.made_by(value, OpId::Multiply);
        node.valid() && rewriting.input(node, 0) == rewriting.input(node, 1))
        return rewriting.input(node, 0);
    return std::nullopt;
}

bool keeps_rank(const Rewriting& rewriting, NodeId reduction) {
    return rewriting.graph.node(reduction).get<bool>("keepdims");
}

// mean(d * d) + epsilon
std::optional<MeanSquare> mean_square(const Rewriting& rewriting, ValueId value) {
    MeanSquare result;
    if (const NodeId sum = rewriting.made_by(value, OpId::Add); sum.valid()) {
        const auto operand = constant_operand(rewriting, sum);
        const auto epsilon = operand ? rewriting.scalar(operand->constant) : std::nullopt;
        if (!epsilon || !(*epsilon >= 0))
            return std::nullopt;
        result.epsilon = *epsilon;
        value = operand->x;
    }
    const NodeId mean = rewriting.made_by(value, OpId::ReduceMean);
    if (!mean.valid() || !keeps_rank(rewriting, mean))
        return std::nullopt;
    const auto of = squared(rewriting, rewriting.input(mean, 0));
    if (!of)
        return std::nullopt;
    result.of = *of;
    result.dims = dims_attribute(rewriting, mean, "dims");
    return result;
}

std::optional<MeanSquare> root_mean_square(const Rewriting& rewriting, ValueId value) {
    if (const NodeId node = rewriting.made_by(value, OpId::Sqrt); node.valid())
        return mean_square(rewriting, rewriting.input(node, 0));
    if (const NodeId node = rewriting.made_by(value, OpId::Pow);
        node.valid() && rewriting.scalar(rewriting.input(node, 1)) == 0.5)
        return mean_square(rewriting, rewriting.input(node, 0));
    return std::nullopt;
}

// 1 / sqrt(mean(d * d) + epsilon)
std::optional<MeanSquare> reciprocal_root(const Rewriting& rewriting, ValueId value) {
    if (const NodeId node = rewriting.made_by(value, OpId::Rsqrt); node.valid())
        return mean_square(rewriting, rewriting.input(node, 0));
    if (const NodeId node = rewriting.made_by(value, OpId::Reciprocal); node.valid())
        return root_mean_square(rewriting, rewriting.input(node, 0));
    if (const NodeId node = rewriting.made_by(value, OpId::Pow);
        node.valid() && rewriting.scalar(rewriting.input(node, 1)) == -0.5)
        return mean_square(rewriting, rewriting.input(node, 0));
    if (const NodeId node = rewriting.made_by(value, OpId::Divide);
        node.valid() && rewriting.scalar(rewriting.input(node, 0)) == 1)
        return root_mean_square(rewriting, rewriting.input(node, 1));
    return std::nullopt;
}

// x, where d is x less its mean over these dimensions.
std::optional<ValueId> centred(const Rewriting& rewriting, ValueId d, const Ints& dims) {
    const NodeId difference = rewriting.made_by(d, OpId::Subtract);
    if (!difference.valid())
        return std::nullopt;
    const ValueId x = rewriting.input(difference, 0);
    const NodeId mean = rewriting.made_by(rewriting.input(difference, 1), OpId::ReduceMean);
    if (!mean.valid() || rewriting.input(mean, 0) != x || !keeps_rank(rewriting, mean) ||
        dims_attribute(rewriting, mean, "dims") != dims)
        return std::nullopt;
    return x;
}

} // namespace

bool recognise_normalisation(Rewriting& rewriting, NodeId root) {
    ValueId d = rewriting.input(root, 0);
    std::optional<MeanSquare> found;
    if (rewriting.is(root, OpId::Divide)) {
        found = root_mean_square(rewriting, rewriting.input(root, 1));
    } else if (found = reciprocal_root(rewriting, rewriting.input(root, 1)); !found) {
        found = reciprocal_root(rewriting, rewriting.input(root, 0));
        d = rewriting.input(root, 1);
    }
    const TensorSpec& result = rewriting.spec(rewriting.output(root));
    if (!found || found->of != d || (result.dtype != ir::DType::F32 && result.dtype != ir::DType::F64))
        return false;
    const auto x = centred(rewriting, d, found->dims);
    const ValueId y =
        rewriting.add(x ? OpId::Normalize : OpId::RmsNormalize, {x ? *x : d},
                      {{"dims", found->dims}, {"epsilon", found->epsilon}, {"accumulate_dtype", result.dtype}});
    return rewriting.becomes(root, y);
}

} // namespace hidet::graph
