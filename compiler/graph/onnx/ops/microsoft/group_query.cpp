// SPDX-License-Identifier: Apache-2.0
// Attention whose keys and values are kept from call to call, and rotations. Each sequence of a batch has a length of its own:
// its new keys stand behind its old ones, in a cache that is as long as the longest sequence, or longer.
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/attention_parts.h"
#include "compiler/graph/onnx/ops/microsoft/attention.h"
#include "compiler/graph/onnx/ops/microsoft/parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

using ir::DType;

enum CacheOperand : std::size_t {
    Query,
    Key,
    Value,
    PastKey,
    PastValue,
    Lengths,
    Total,
    Cosines,
    Sines,
    PositionIds,
    Bias,
    Sink,
    KeyScale,
    ValueScale,
    QueryNorm,
    KeyNorm
};

Val number_of(NodeCall& node, const Dim& extent) {
    return node.builder().contents(DType::I64, {{}, {extent}});
}

// Rows of a table at positions [batch, length], as [batch, 1, length, pairs].
Val angles_at(NodeCall& node, const Val& table, const Val& positions) {
    if (table->spec.shape.size() != 2)
        throw OpError("a table of angles is of shape ", text_of(table->spec.shape), ", not a matrix");
    return node.unsqueeze(node.add(OpId::Take, {table, positions}, {{"axis", std::int64_t{0}}}), {1});
}

void refuse_what_is_missing(const NodeCall& node) {
    refuse_input(node, Sink, "head_sink");
    refuse_input(node, KeyScale, "k_scale");
    refuse_input(node, ValueScale, "v_scale");
    for (const char* name : {"sliding_window_cache", "qk_output"})
        refuse_attribute(node, name);
    if (node.i("smooth_softmax", 0) > 0)
        throw OpError("smooth_softmax is not supported");
    for (const char* name : {"k_quant_type", "v_quant_type"})
        if (const std::string type = node.s(name, "NONE"); type != "NONE")
            throw OpError(name, " ", type, " is not supported");
    refuse_result(node, 3, "output_qk");
}

// Heads of queries, keys and values, before they are turned.
struct Heads {
    Val q, k, v;
};

Heads heads_of(NodeCall& node) {
    const std::int64_t heads = node.i("num_heads");
    const std::int64_t kept = node.i("kv_num_heads");
    if (heads < 1 || kept < 1 || heads % kept != 0)
        throw OpError("there are ", heads, " heads of queries and ", kept, " of keys");
    if (node.has(Key) != node.has(Value))
        throw OpError("key and value go together, and one is missing");
    if (node.has(Key))
        return {split_heads(node, node.in(Query), heads, "query"), split_heads(node, node.in(Key), kept, "key"),
                split_heads(node, node.in(Value), kept, "value")};
    const auto all = node.rank() == 3 ? constant_of(node.shape()[2]) : std::nullopt;
    if (!all || *all % (heads + 2 * kept) != 0)
        throw OpError("query is of shape ", text_of(node.shape()), " for ", heads, " and twice ", kept, " heads");
    const std::int64_t size = *all / (heads + 2 * kept);
    const auto part = [&](std::int64_t from, std::int64_t count) {
        const Val x = node.slice(node.in(), 2, dim(from * size), dim((from + count) * size));
        return split_heads(node, x, count, "query");
    };
    return {part(0, heads), part(heads, kept), part(heads + kept, kept)};
}

Val normed(NodeCall& node, const Val& x, std::size_t weight) {
    if (!node.has(weight))
        return x;
    const Val y = node.add(OpId::RmsNormalize, {widened(node, x)},
                           {{"dims", Ints{-1}}, {"epsilon", node.f("qk_norm_epsilon", 1e-6)}});
    if (node.rank(weight) != 1 || differ(node.shape(weight)[0], x->spec.shape[3]))
        throw OpError("a weight of norms is of shape ", text_of(node.shape(weight)), " for heads of ",
                      text_of(x->spec.shape[3]), " elements");
    const Val scaled = node.add(OpId::Multiply, {y, node.cast(node.in(weight), y->spec.dtype)});
    return node.cast(scaled, x->spec.dtype);
}

// Where the sequences of the batch stand: [batch] each.
struct Sequences {
    Val past;    // keys of before
    Val lengths; // with those that are new
};

// `cache`: places for keys; null where there is none.
Sequences sequences_of(NodeCall& node, const Dim& batch, const Dim& queries, const Dim& cache) {
    Val last = node.reshape(node.cast(node.in(Lengths), DType::I64), {batch});
    if (cache)
        last = as_places(node, last, cache);
    const Val lengths = node.add(OpId::Add, {last, node.scalar(DType::I64, 1)});
    if (!cache)
        return {node.full({batch}, 0, DType::I64), lengths};
    // The first call has as many keys as queries, though a sequence may be shorter than the longest one.
    const Val count = number_of(node, queries);
    const Val before = node.add(OpId::Subtract, {lengths, count});
    const Val total = node.reshape(node.cast(node.in(Total), DType::I64), {});
    const Val is_first = node.add(OpId::Equal, {total, count});
    return {node.add(OpId::Where, {is_first, node.scalar(DType::I64, 0), before}), lengths};
}

// As long as all of the keys, or as it was where there is room.
Dim length_of_cache(NodeCall& node, const Dim& past, const Dim& queries) {
    const Shape total = node.dims_in(Total);
    if (total.size() != 1)
        throw OpError("total_sequence_length is not one number");
    const auto all = constant_of(total[0]);
    const auto room = constant_of(past);
    if (all && room)
        return *all > *room ? total[0] : past;
    if (same_dim(total[0], simplified(ir::add(past, queries))))
        return total[0];
    return simplified(ir::select(ir::less(past, total[0]), total[0], past));
}

// The cache with what is new in its place, and zeros behind it.
Val filled_cache(NodeCall& node, std::size_t operand, const Val& now, const Sequences& at, const Dim& length) {
    const Shape& past = node.shape(operand);
    const Shape& shape = now->spec.shape;
    for (std::size_t d : {0U, 1U, 3U})
        if (past.size() != 4 || differ(past[d], shape[d]) || node.dtype(operand) != now->spec.dtype)
            throw OpError("the cache is ", text_of(node.in(operand)->spec), " for ", text_of(now->spec));
    const Val place = query_positions(node, dim(0), length);
    const Val start = node.reshape(at.past, {shape[0], dim(1), dim(1), dim(1)});
    const Val index = node.add(OpId::Subtract, {place, start});
    const Val zero = node.scalar(DType::I64, 0);
    const Val count = number_of(node, shape[2]);
    const Val last = node.add(OpId::Subtract, {count, node.scalar(DType::I64, 1)});
    const Val inside = node.add(OpId::Min, {node.add(OpId::Max, {index, zero}), last});
    const Shape all = {shape[0], shape[1], length, shape[3]};
    const Val moved = node.add(OpId::Gather, {now, node.broadcast(inside, all)}, {{"axis", std::int64_t{2}}});
    const Val is_new = node.add(OpId::Less, {index, count});
    const Val with_zeros = node.add(OpId::Where, {is_new, moved, node.scalar(now->spec.dtype, 0)});
    Shape pads(8, dim(0));
    pads[6] = simplified(ir::sub(length, past[2]));
    const Val old =
        ir::is_constant(pads[6], 0) ? node.in(operand) : node.add(OpId::Pad, {node.in(operand)}, {{"pads", pads}});
    return node.add(OpId::Where, {node.add(OpId::Less, {index, zero}), node.reshape(old, all), with_zeros});
}

void turn(NodeCall& node, Heads& heads, const Sequences& at) {
    if (node.i("do_rotary", 0) == 0)
        return;
    const Dim& batch = heads.q->spec.shape[0];
    const Dim& queries = heads.q->spec.shape[2];
    Val positions = node.optional_in(PositionIds);
    if (!positions)
        positions = node.reshape(query_positions(node, at.past, queries), {batch, queries});
    else if (positions->spec.shape.size() != 2)
        throw OpError("position_ids is of shape ", text_of(positions->spec.shape), ", not [batch, length]");
    const Val cosines = angles_at(node, node.in(Cosines), positions);
    const Val sines = angles_at(node, node.in(Sines), positions);
    const bool is_interleaved = node.i("rotary_interleaved", 0) != 0;
    heads.q = rotate(node, heads.q, cosines, sines, is_interleaved);
    heads.k = rotate(node, heads.k, cosines, sines, is_interleaved);
}

// A bias of so many keys; those behind them are hidden anyway.
Val bias_of_scores(NodeCall& node, const Dim& keys) {
    if (!node.has(Bias))
        return nullptr;
    if (node.rank(Bias) != 4)
        throw OpError("attention_bias is of shape ", text_of(node.shape(Bias)), ", not of four dimensions");
    const Dim& have = node.shape(Bias)[3];
    if (same_dim(have, keys))
        return node.in(Bias);
    Shape pads(8, dim(0));
    pads[7] = simplified(ir::sub(keys, have));
    return node.add(OpId::Pad, {node.in(Bias)}, {{"pads", pads}});
}

// What a query sees: the keys of its sequence, those before it, those in its window.
void add_visibility(NodeCall& node, Attention& attention, const Sequences& at) {
    const Positions positions{query_positions(node, at.past, attention.q->spec.shape[2]),
                              key_positions(node, attention.k->spec.shape[2])};
    const bool is_causal = node.i("causal", 1) != 0;
    const std::int64_t window = node.i("local_window_size", -1);
    if (window != -1 && (window < 1 || !is_causal))
        throw OpError("local_window_size ", window, " makes no sense here");
    attention.visible = sees_first(node, positions.keys, at.lengths);
    if (is_causal)
        attention.visible = sees_both(node, attention.visible, sees_no_later(node, positions));
    if (window == -1)
        return;
    attention.visible = sees_both(node, attention.visible, sees_window(node, positions, window - 1, -1));
    attention.may_see_nothing = true; // behind the end of a short sequence
}

} // namespace

Vals group_query_attention(NodeCall& node) {
    refuse_what_is_missing(node);
    Heads heads = heads_of(node);
    heads.q = normed(node, heads.q, QueryNorm);
    heads.k = normed(node, heads.k, KeyNorm);
    if (node.has(PastKey) != node.has(PastValue))
        throw OpError("past_key and past_value go together, and one is missing");
    const Dim queries = heads.q->spec.shape[2];
    const bool has_past = node.has(PastKey) && (node.rank(PastKey) != 4 || !ir::is_constant(node.shape(PastKey)[2], 0));
    if (has_past && node.rank(PastKey) != 4)
        throw OpError("past_key is of shape ", text_of(node.shape(PastKey)), ", not of four dimensions");
    const Dim length = has_past ? length_of_cache(node, node.shape(PastKey)[2], queries) : Dim();
    const Sequences at = sequences_of(node, heads.q->spec.shape[0], queries, length);
    turn(node, heads, at);
    Attention attention;
    attention.q = heads.q;
    attention.k = heads.k;
    attention.v = heads.v;
    if (has_past) {
        attention.k = filled_cache(node, PastKey, heads.k, at, length);
        attention.v = filled_cache(node, PastValue, heads.v, at, length);
    }
    attention.scale = attention_scale(node, attention.q->spec.shape[3]);
    attention.softcap = node.f("softcap", 0);
    attention.bias = bias_of_scores(node, attention.k->spec.shape[2]);
    add_visibility(node, attention, at);
    return {merge_heads(node, attend(node, attention).y), attention.k, attention.v};
}

// Operands: x, the first position or all of them, tables of cosines and sines.
Vals microsoft_rotary_embedding(NodeCall& node) {
    refuse_attribute(node, "is_packed_batching");
    if (node.f("scale", 1) != 1)
        throw OpError("a scale is not supported");
    const bool is_packed = node.rank() == 3;
    if (!is_packed && node.rank() != 4)
        throw OpError("the input is of shape ", text_of(node.shape()), ", not of three or four dimensions");
    if (node.rank(2) != 2 || node.rank(3) != 2)
        throw OpError("the tables of angles are of shapes ", text_of(node.shape(2)), " and ", text_of(node.shape(3)));
    std::int64_t heads = node.i("num_heads", 0);
    if (is_packed && heads == 0) { // as many as there are tables
        const auto hidden = constant_of(node.shape()[2]);
        const auto pairs = constant_of(node.shape(2)[1]);
        if (!hidden || !pairs || *pairs < 1 || *hidden % (*pairs * 2) != 0)
            throw OpError("the input is of shape ", text_of(node.shape()), ", which are no heads of pairs of ",
                          text_of(node.shape(2)[1]), " angles");
        heads = *hidden / (*pairs * 2);
    }
    if (const std::int64_t turned = node.i("rotary_embedding_dim", 0);
        turned != 0 && differ(node.shape(2)[1], dim(turned / 2)))
        throw OpError("rotary_embedding_dim is ", turned, ", and cos_cache of shape ", text_of(node.shape(2)));
    const Val x = is_packed ? split_heads(node, node.in(), heads, "the input") : node.in();
    const Dim& batch = x->spec.shape[0];
    const Dim& length = x->spec.shape[2];
    Val positions = node.in(1);
    if (positions->spec.shape.size() < 2) {
        const Val first = one_number(node, 1, "position_ids");
        const Val row = node.reshape(key_positions(node, length), {dim(1), length});
        positions = node.add(OpId::Add, {node.cast(first, DType::I64), row});
    } else if (positions->spec.shape.size() != 2 || differ(positions->spec.shape[1], length)) {
        throw OpError("position_ids is of shape ", text_of(positions->spec.shape), " for tokens of ",
                      text_of(Shape{batch, length}));
    } else {
        node.check_indices(1, node.shape(2)[0]);
    }
    const Val y = rotate(node, x, angles_at(node, node.in(2), positions), angles_at(node, node.in(3), positions),
                         node.i("interleaved", 0) != 0);
    return {is_packed ? merge_heads(node, y) : y};
}

} // namespace hidet::graph::onnx
