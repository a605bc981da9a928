// SPDX-License-Identifier: Apache-2.0
// Normalisations with the sums and tables before them. Sums are added up in f32 and normalised before they are rounded.
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/microsoft/parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

Val scaled_by(NodeCall& node, const Val& y, const Val& gamma) {
    const Shape& shape = gamma->spec.shape;
    if (shape.size() != 1 || differ(shape[0], y->spec.shape.back()))
        throw OpError("gamma is of shape ", text_of(shape), " for the last dimension of ", text_of(y->spec.shape));
    return node.add(OpId::Multiply, {y, node.cast(gamma, y->spec.dtype)});
}

struct Skip {
    OpId norm;
    Val bias;
    Val beta;
};

// The sum of two tensors, the second of which may be broadcast; then the norm of its last dimension.
Vals skip_norm(NodeCall& node, const Skip& skip) {
    if (node.dtype(0) != node.dtype(1))
        throw OpError("operands of ", text_of(node.in(0)->spec), " and ", text_of(node.in(1)->spec));
    if (node.rank() == 0)
        throw OpError("a number has no dimension to normalise");
    refuse_result(node, 1, "mean");
    refuse_result(node, 2, "inv_std_var");
    const Val both = sum_of_one_shape(node, widened(node, node.in(0)), widened(node, node.in(1)), "skip");
    const Val sum = biased(node, both, skip.bias);
    const Val y = node.add(skip.norm, {sum}, {{"dims", Ints{-1}}, {"epsilon", node.f("epsilon", 1e-12)}});
    const Val shifted = biased(node, scaled_by(node, y, node.in(2)), skip.beta, "beta");
    Vals results = {node.cast(shifted, node.dtype()), nullptr, nullptr, nullptr};
    if (node.wants_output(3))
        results[3] = node.cast(sum, node.dtype());
    return results;
}

// [n, c, spatial...] in groups of channels, times gamma plus beta.
Val grouped_norm(NodeCall& node, const Val& x) {
    const std::int64_t groups = node.i("groups");
    const Shape& shape = x->spec.shape;
    const auto channels = constant_of(shape[1]);
    if (groups < 1 || !channels || *channels % groups != 0)
        throw OpError("the channels of ", text_of(shape), " do not make ", groups, " groups");
    Shape grouped = {shape[0], dim(groups), dim(*channels / groups)};
    grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
    const Val y = node.add(OpId::Normalize, {node.reshape(x, grouped)},
                           {{"dims", dims_from(2, grouped.size())}, {"epsilon", node.f("epsilon", 1e-5)}});
    const auto by_place = [&](std::size_t i) {
        if (node.rank(i) != 1 || differ(node.shape(i)[0], shape[1]))
            throw OpError("input ", i, " is of shape ", text_of(node.shape(i)), " for ", *channels, " channels");
        Shape against(shape.size(), dim(1));
        against[1] = shape[1];
        return node.reshape(node.cast(node.in(i), x->spec.dtype), against);
    };
    const Val scaled = node.add(OpId::Multiply, {node.reshape(y, shape), by_place(1)});
    const Val shifted = node.add(OpId::Add, {scaled, by_place(2)});
    const std::int64_t activation = node.i("activation");
    if (activation != 0 && activation != 1)
        throw OpError("activation ", activation, " is neither 0 nor 1");
    return activation == 1 ? node.add(OpId::Silu, {shifted}) : shifted;
}

} // namespace

// In the standard's domain, though it is not the standard's.
Vals simplified_layer_normalization(NodeCall& node) {
    const Ints dims = dims_from(normalise_axis(node.i("axis", -1), node.rank(), "axis"), node.rank());
    const double epsilon = node.f("epsilon", 1e-5);
    const Val x = widened(node, node.in(0));
    const Val y = node.add(OpId::RmsNormalize, {x}, {{"dims", dims}, {"epsilon", epsilon}});
    Vals results = {node.cast(node.add(OpId::Multiply, {y, node.cast(node.in(1), x->spec.dtype)}), node.dtype(1))};
    if (!node.wants_output(1))
        return results;
    const Val squares = node.add(OpId::Multiply, {x, x});
    const Val mean = node.add(OpId::ReduceMean, {squares}, {{"dims", dims}, {"keepdims", true}});
    const Val root = node.add(OpId::Sqrt, {node.add(OpId::Add, {mean, node.scalar(x->spec.dtype, epsilon)})});
    results.push_back(node.add(OpId::Reciprocal, {root}));
    return results;
}

Vals skip_layer_normalization(NodeCall& node) {
    return skip_norm(node, {OpId::Normalize, node.optional_in(4), node.optional_in(3)});
}

Vals skip_simplified_layer_normalization(NodeCall& node) {
    return skip_norm(node, {OpId::RmsNormalize, node.optional_in(3), nullptr});
}

// Operands: words, segments, tables of words, positions and segments, gamma, beta, a mask, positions.
Vals embed_layer_normalization(NodeCall& node) {
    if (node.rank() != 2)
        throw OpError("the words are of shape ", text_of(node.shape()), ", not [batch, sequence]");
    const Dim& length = node.shape()[1];
    Val sum = widened(node, rows_at(node, node.in(2), 0));
    if (node.has(8)) {
        sum = node.add(OpId::Add, {sum, widened(node, rows_at(node, node.in(3), 8))});
    } else {
        const auto known = constant_of(length);
        const auto rows = node.rank(3) == 2 ? constant_of(node.shape(3)[0]) : std::nullopt;
        if (node.rank(3) != 2 || (known && rows && *known > *rows))
            throw OpError("the table of positions is of shape ", text_of(node.shape(3)), " for words of shape ",
                          text_of(node.shape()));
        const Val table =
            node.add(OpId::Take, {node.in(3), node.count_up(dim(0), length)}, {{"axis", std::int64_t{0}}});
        sum = node.add(OpId::Add, {sum, widened(node, table)});
    }
    if (node.has(1) != node.has(4))
        throw OpError("segments and their table are given one without the other");
    if (node.has(1))
        sum = node.add(OpId::Add, {sum, widened(node, rows_at(node, node.in(4), 1))});
    const Val y = node.add(OpId::Normalize, {sum}, {{"dims", Ints{-1}}, {"epsilon", node.f("epsilon", 1e-12)}});
    const Val shifted = biased(node, scaled_by(node, y, node.in(5)), node.in(6), "beta");
    Vals results = {node.cast(shifted, node.dtype(2)), nullptr, nullptr};
    if (node.wants_output(1) && node.has(7)) {
        // How many words there are.
        const Val is_word = node.add(OpId::Equal, {node.in(7), node.scalar(node.dtype(7), 1)});
        results[1] =
            node.add(OpId::ReduceSum, {node.cast(is_word, ir::DType::I32)}, {{"dims", Ints{1}}, {"keepdims", false}});
    } else if (node.wants_output(1)) {
        results[1] = node.full({node.shape()[0]}, 0, ir::DType::I32);
    }
    if (node.wants_output(2))
        results[2] = node.cast(sum, node.dtype(2));
    return results;
}

Vals microsoft_group_norm(NodeCall& node) {
    const bool last = node.i("channels_last", 1) != 0;
    const Val x = last ? channels_first(node, widened(node, node.in())) : widened(node, node.in());
    if (x->spec.shape.size() < 3)
        throw OpError("groups want a tensor with channels and spatial dimensions, not one of shape ",
                      text_of(node.shape()));
    const Val y = grouped_norm(node, x);
    return {node.cast(last ? channels_last(node, y) : y, node.dtype())};
}

// Operands: x, gamma, beta, skip of [n, 1, 1, c], [n, c] or x's shape, a bias of channels.
Vals skip_group_norm(NodeCall& node) {
    const bool last = node.i("channels_last", 1) != 0;
    if (!last || node.rank() != 4)
        throw OpError("a sum before the norm wants channels that stand last in four dimensions, not ",
                      text_of(node.shape()));
    Val skip = widened(node, node.in(3));
    if (node.rank(3) == 2)
        skip = node.unsqueeze(skip, {1, 2});
    const Val both = sum_of_one_shape(node, widened(node, node.in()), skip, "skip");
    const Val sum = biased(node, both, node.optional_in(4));
    const Val y = channels_last(node, grouped_norm(node, channels_first(node, sum)));
    Vals results = {node.cast(y, node.dtype())};
    if (node.wants_output(1))
        results.push_back(node.cast(sum, node.dtype()));
    return results;
}

} // namespace hidet::graph::onnx
