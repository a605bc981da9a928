// SPDX-License-Identifier: Apache-2.0
// Attention with the projections, masks and caches of ONNX Runtime. A mask is a number that is added to the scores of keys
// that are hidden, so that a query that sees no key sees all of them alike.
#include <cmath>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/microsoft/attention.h"
#include "compiler/graph/onnx/ops/microsoft/parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

double attention_scale(const NodeCall& node, const Dim& head_size) {
    if (const double given = node.f("scale", 0); given != 0)
        return given;
    const auto size = constant_of(head_size);
    if (!size || *size < 1)
        throw OpError("a head has ", text_of(head_size), " elements, of which no scale follows");
    return 1 / std::sqrt(static_cast<double>(*size));
}

namespace {

// Lengths of sequences, or ends and then starts, [batch] each.
Val seen_by_length(NodeCall& node, std::size_t mask, const Dim& batch, const Dim& keys) {
    const Val positions = key_positions(node, keys);
    const Dim& count = node.shape(mask)[0];
    if (same_dim(count, batch))
        return sees_first(node, positions, node.in(mask));
    const Dim twice = simplified(ir::mul(batch, dim(2)));
    if (!same_dim(count, twice))
        throw OpError("the mask is of shape ", text_of(node.shape(mask)), " for a batch of ", text_of(batch));
    const Val ends = node.slice(node.in(mask), 0, dim(0), batch);
    const Val starts = node.slice(node.in(mask), 0, batch, twice);
    const Val first = node.reshape(node.cast(starts, ir::DType::I64), {batch, dim(1), dim(1), dim(1)});
    return sees_both(node, sees_first(node, positions, ends), node.add(OpId::LessEqual, {first, positions}));
}

// What the mask, operand `mask`, adds to scores of [batch, heads, queries, keys].
Val added_by_mask(NodeCall& node, std::size_t mask, const Attention& attention) {
    const Dim& batch = attention.q->spec.shape[0];
    const Dim& keys = attention.k->spec.shape[2];
    if (!ir::is_integer(node.dtype(mask)))
        throw OpError("the mask is of ", ir::info(node.dtype(mask)).name, ", not of integers");
    const std::size_t rank = node.rank(mask);
    Val seen;
    if (rank == 1) {
        seen = seen_by_length(node, mask, batch, keys);
    } else if ((rank == 2 || rank == 3) && !differ(node.shape(mask).back(), keys)) {
        const Val is_key = node.add(OpId::Greater, {node.in(mask), node.scalar(node.dtype(mask), 0)});
        seen = node.unsqueeze(is_key, rank == 2 ? Ints{1, 2} : Ints{1});
    } else {
        throw OpError("a mask of shape ", text_of(node.shape(mask)), " for ", text_of(keys), " keys is not supported");
    }
    const ir::DType dtype = attention.q->spec.dtype;
    return node.add(OpId::Where,
                    {seen, node.scalar(dtype, 0), node.scalar(dtype, node.f("mask_filter_value", -10000))});
}

} // namespace

void add_masks(NodeCall& node, Attention& attention, const MaskOperands& operands) {
    if (node.has(operands.bias))
        attention.bias = node.cast(node.in(operands.bias), attention.q->spec.dtype);
    if (attention.bias && attention.bias->spec.shape.size() != 4)
        throw OpError("attention_bias is of shape ", text_of(attention.bias->spec.shape), ", not of four dimensions");
    if (node.has(operands.mask)) {
        const Val mask = added_by_mask(node, operands.mask, attention);
        attention.bias = attention.bias ? node.add(OpId::Add, {attention.bias, mask}) : mask;
    }
    if (node.i("unidirectional", 0) == 0)
        return;
    const Positions at{query_positions(node, operands.past, attention.q->spec.shape[2]),
                       key_positions(node, attention.k->spec.shape[2])};
    attention.visible = sees_no_later(node, at);
}

Val with_past(NodeCall& node, const Val& past, const Val& now) {
    if (!past)
        return now;
    if (past->spec.shape.size() != 4 || past->spec.dtype != now->spec.dtype)
        throw OpError("the past is ", text_of(past->spec), " before ", text_of(now->spec));
    for (std::size_t d : {0U, 1U, 3U})
        if (differ(past->spec.shape[d], now->spec.shape[d]))
            throw OpError("the past is ", text_of(past->spec), " before ", text_of(now->spec));
    return node.add(OpId::Concat, {past, now}, {{"axis", std::int64_t{2}}});
}

namespace {

// Queries, keys and values side by side, and which operands the rest is.
struct Projected {
    Val all;
    std::size_t mask;
    std::size_t past;
    std::size_t bias;
};

// Keys, then values: [2, batch, heads, length, size].
Val of_past(NodeCall& node, std::size_t past, std::int64_t which) {
    if (!node.has(past))
        return nullptr;
    if (node.rank(past) != 5 || differ(node.shape(past)[0], dim(2)))
        throw OpError("past is of shape ", text_of(node.shape(past)), ", not [2, batch, heads, length, size]");
    return node.squeeze(node.slice(node.in(past), 0, dim(which), dim(which + 1)), {0});
}

Vals attended_within(NodeCall& node, const Projected& projected) {
    refuse_attribute(node, "do_rotary");
    refuse_attribute(node, "past_present_share_buffer");
    const Dim& extent = projected.all->spec.shape.back();
    const auto all = constant_of(extent);
    const std::int64_t third = all.value_or(0) / 3;
    const Ints sizes = node.ints("qkv_hidden_sizes", {third, third, third});
    if (!all || sizes.size() != 3 || sizes[0] < 1 || sizes[2] < 1 || sizes[0] != sizes[1] || sizes[0] > *all ||
        sizes[2] > *all || sizes[0] * 2 + sizes[2] != *all)
        throw OpError("the weights make ", text_of(extent), " elements, which are no queries, keys and values");
    const std::int64_t heads = node.i("num_heads");
    const auto part = [&](std::int64_t from, std::int64_t size, const char* what) {
        return split_heads(node, node.slice(projected.all, 2, dim(from), dim(from + size)), heads, what);
    };
    Attention attention;
    attention.q = part(0, sizes[0], "the query");
    attention.k = with_past(node, of_past(node, projected.past, 0), part(sizes[0], sizes[1], "the key"));
    attention.v = with_past(node, of_past(node, projected.past, 1), part(sizes[0] * 2, sizes[2], "the value"));
    attention.scale = attention_scale(node, attention.q->spec.shape[3]);
    const Dim past = node.has(projected.past) ? node.shape(projected.past)[3] : dim(0);
    add_masks(node, attention, {projected.mask, projected.bias, past});
    Vals results = {merge_heads(node, attend(node, attention).y)};
    if (node.wants_output(1)) {
        const Vals both = {node.unsqueeze(attention.k, {0}), node.unsqueeze(attention.v, {0})};
        results.push_back(node.add(OpId::Concat, both, {{"axis", std::int64_t{0}}}));
    }
    return results;
}

void check_projection(const NodeCall& node) {
    if (node.rank(0) != 3 || node.rank(1) != 2 || differ(node.shape(0)[2], node.shape(1)[0]))
        throw OpError("the input is of shape ", text_of(node.shape(0)), " and the weights of ", text_of(node.shape(1)));
}

} // namespace

// Operands: input, weights, bias, mask, past, a bias of scores, the length of the past.
Vals microsoft_attention(NodeCall& node) {
    refuse_input(node, 6, "past_sequence_length");
    check_projection(node);
    const Val product = node.add(OpId::Matmul, {node.in(0), node.in(1)});
    return attended_within(node, {biased(node, product, node.optional_in(2)), 3, 4, 5});
}

// Operands: input, weights, bias, their scales, mask, zero points, past.
Vals quantised_attention(NodeCall& node) {
    check_projection(node);
    NodeCall product = node.with(
        {node.in(0), node.in(1), node.in(3), node.in(4), node.optional_in(6), node.optional_in(7), node.in(2)});
    return attended_within(node, {matmul_integer_to_float(product).front(), 5, 8, node.count()});
}

namespace {

// One of the parts that stand side by side in dimension 3 of [batch, length, heads, parts, size].
Val unstacked(NodeCall& node, std::size_t i, std::int64_t part, std::int64_t parts) {
    const Shape& shape = node.shape(i);
    if (differ(shape[3], dim(parts)) || differ(shape[2], dim(node.i("num_heads"))))
        throw OpError("input ", i, " is of shape ", text_of(shape), ", not [batch, length, ", node.i("num_heads"), ", ",
                      parts, ", size]");
    return node.transpose(node.squeeze(node.slice(node.in(i), 3, dim(part), dim(part + 1)), {3}), {0, 2, 1, 3});
}

// Queries, keys or values of three dimensions, with their part of the bias, which starts at `from`.
Val with_bias_of_heads(NodeCall& node, std::size_t i, const Dim& from, const char* what) {
    Val x = node.in(i);
    if (x->spec.shape.size() != 3)
        throw OpError(what, " is of shape ", text_of(x->spec.shape), ", not of three dimensions");
    if (node.has(3)) {
        if (node.rank(3) != 1)
            throw OpError("the bias is of shape ", text_of(node.shape(3)), ", not a vector");
        const Dim to = simplified(ir::add(from, x->spec.shape[2]));
        x = biased(node, x, node.slice(node.in(3), 0, from, to));
    }
    return split_heads(node, x, node.i("num_heads"), what);
}

void check_heads(const NodeCall& node, std::size_t i) {
    if (differ(node.shape(i)[1], dim(node.i("num_heads"))))
        throw OpError("input ", i, " is of shape ", text_of(node.shape(i)), " for ", node.i("num_heads"), " heads");
}

void take_heads(NodeCall& node, Attention& attention) {
    const bool packs_all = node.rank(0) == 5;
    const bool packs_keys = !packs_all && node.rank(1) == 5;
    if (packs_all || packs_keys) {
        refuse_input(node, 2, "value, beside packed keys");
        refuse_input(node, 3, "bias, of packed keys");
    }
    if (packs_all) {
        refuse_input(node, 1, "key, beside packed queries");
        attention.q = unstacked(node, 0, 0, 3);
        attention.k = unstacked(node, 0, 1, 3);
        attention.v = unstacked(node, 0, 2, 3);
        return;
    }
    attention.q = with_bias_of_heads(node, 0, dim(0), "the query");
    if (packs_keys) {
        attention.k = unstacked(node, 1, 0, 2);
        attention.v = unstacked(node, 1, 1, 2);
        return;
    }
    if (node.rank(1) == 4 && node.rank(2) == 4) { // of another sequence, whose bias is in them
        check_heads(node, 1);
        check_heads(node, 2);
        attention.k = node.in(1);
        attention.v = node.in(2);
        return;
    }
    const Dim& hidden = node.shape(0)[2];
    attention.k = with_bias_of_heads(node, 1, hidden, "the key");
    attention.v = with_bias_of_heads(node, 2, simplified(ir::mul(hidden, dim(2))), "the value");
}

} // namespace

// Operands: queries, keys, values, bias, mask, a bias of scores, past keys and values, what a shared buffer needs.
Vals multi_head_attention(NodeCall& node) {
    refuse_input(node, 8, "past_sequence_length");
    refuse_input(node, 9, "cache_indirection");
    refuse_result(node, 3, "qk");
    Attention attention;
    take_heads(node, attention);
    if (node.has(6) != node.has(7))
        throw OpError("past_key and past_value go together, and one is missing");
    attention.k = with_past(node, node.optional_in(6), attention.k);
    attention.v = with_past(node, node.optional_in(7), attention.v);
    attention.scale = attention_scale(node, attention.q->spec.shape[3]);
    add_masks(node, attention, {4, 5, node.has(6) ? node.shape(6)[2] : dim(0)});
    return {merge_heads(node, attend(node, attention).y), attention.k, attention.v};
}

} // namespace hidet::graph::onnx
