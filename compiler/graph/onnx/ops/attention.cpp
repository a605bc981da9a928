// SPDX-License-Identifier: Apache-2.0
// Attention and RotaryEmbedding of the standard's own domain, and what it has beside them: caches, gates.
#include <cmath>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/attention_parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

namespace in {
enum : std::size_t { Q, K, V, Mask, PastKey, PastValue, Lengths };
}

std::int64_t heads_attribute(const NodeCall& node, const std::string& name) {
    if (!node.has_attribute(name))
        throw OpError("operands of three dimensions want the attribute ", name);
    return node.i(name);
}

// Of four dimensions as they are; what an attribute says has to be true.
Val heads_of(NodeCall& node, std::size_t operand, const std::string& attribute, const std::string& what) {
    if (node.rank(in::Q) == 3)
        return split_heads(node, node.in(operand), heads_attribute(node, attribute), what);
    if (node.has_attribute(attribute) && differ(node.shape(operand)[1], dim(node.i(attribute))))
        throw OpError(attribute, " is ", node.i(attribute), ", and ", what, " is of shape ",
                      text_of(node.shape(operand)));
    return node.in(operand);
}

void check_attention_operands(const NodeCall& node) {
    const std::size_t rank = node.rank(in::Q);
    if ((rank != 3 && rank != 4) || node.rank(in::K) != rank || node.rank(in::V) != rank)
        throw OpError("Q, K and V are of shapes ", text_of(node.shape(in::Q)), ", ", text_of(node.shape(in::K)),
                      " and ", text_of(node.shape(in::V)), ", not all of three dimensions or all of four");
    if (node.has(in::PastKey) != node.has(in::PastValue))
        throw OpError("past_key and past_value go together, and one is missing");
    if (node.has(in::PastKey) && node.has(in::Lengths))
        throw OpError("nonpad_kv_seqlen does not go together with past_key");
}

// Pairs of dimensions of [batch, heads, length, size] that are the same one.
void check_same(const Val& a, std::size_t i, const Val& b, std::size_t k, const std::string& what) {
    if (differ(a->spec.shape[i], b->spec.shape[k]))
        throw OpError(what, ": ", text_of(a->spec.shape), " and ", text_of(b->spec.shape));
}

void check_shapes(const Attention& attention) {
    check_same(attention.q, 0, attention.k, 0, "Q and K are of different batches");
    check_same(attention.q, 3, attention.k, 3, "Q and K have heads of different sizes");
    check_same(attention.k, 0, attention.v, 0, "K and V are of different batches");
    check_same(attention.k, 1, attention.v, 1, "K and V have different heads");
    check_same(attention.k, 2, attention.v, 2, "K and V are of different lengths");
}

// The keys or values of before, and those that are new.
Val with_past(NodeCall& node, std::size_t operand, const std::string& what, const Val& now) {
    if (!node.has(operand))
        return now;
    const Val past = node.in(operand);
    if (past->spec.shape.size() != 4)
        throw OpError(what, " is of shape ", text_of(past->spec.shape), ", not of four dimensions");
    if (past->spec.dtype != now->spec.dtype)
        throw OpError(what, " is of ", ir::info(past->spec.dtype).name, ", and what is added to it of ",
                      ir::info(now->spec.dtype).name);
    for (std::size_t d : {0U, 1U, 3U})
        check_same(past, d, now, d, what + " and what is added to it differ in dimension " + std::to_string(d));
    return node.add(OpId::Concat, {past, now}, {{"axis", std::int64_t{2}}});
}

// Keys beyond the mask's end are hidden.
Val padded_mask(NodeCall& node, const Dim& keys) {
    const Val mask = node.in(in::Mask);
    const Shape& shape = mask->spec.shape;
    if (shape.empty() || shape.size() > 4)
        throw OpError("attn_mask is of shape ", text_of(shape), ", not of one to four dimensions");
    if (same_dim(shape.back(), keys))
        return mask;
    const auto length = constant_of(shape.back());
    if (const auto all = constant_of(keys); length && all && *length > *all)
        throw OpError("attn_mask has ", *length, " keys, and there are ", *all);
    Shape pads(shape.size() * 2, dim(0));
    pads.back() = simplified(ir::sub(keys, shape.back()));
    Attributes attributes = {{"pads", pads}};
    if (mask->spec.dtype != ir::DType::Bool)
        attributes.set("value", -std::numeric_limits<double>::infinity());
    return node.add(OpId::Pad, {mask}, attributes);
}

// The mask as it is meant, and how it may be wrong: the shape that it is broadcast to is that of the scores.
void add_mask(NodeCall& node, Attention& attention) {
    if (!node.has(in::Mask))
        return;
    const Shape& q = attention.q->spec.shape;
    const Dim& keys = attention.k->spec.shape[2];
    Val mask = padded_mask(node, keys);
    const Shape scores = {q[0], q[1], q[2], keys};
    const Shape& shape = mask->spec.shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (const Dim& extent = scores[4 - shape.size() + d]; differ(shape[d], extent) && !ir::is_constant(shape[d], 1))
            throw OpError("attn_mask is of shape ", text_of(node.shape(in::Mask)), ", and the scores of ",
                          text_of(scores));
    (mask->spec.dtype == ir::DType::Bool ? attention.visible : attention.bias) = mask;
    attention.may_see_nothing = true;
}

std::int64_t window_attribute(const NodeCall& node, const std::string& name) {
    const std::int64_t size = node.i(name, -1);
    if (size < -1)
        throw OpError(name, " is ", size, ", less than -1");
    return size;
}

// Which keys a query sees by where it stands. Without a cache the first query is at 0; behind `past` keys, at their end; in a
// cache that the model keeps itself, so that the last query is at the last key of its sequence.
void add_positions(NodeCall& node, Attention& attention, const Dim& past) {
    const std::int64_t left = window_attribute(node, "left_window_size");
    const std::int64_t right = window_attribute(node, "right_window_size");
    const bool is_causal = node.i("is_causal", 0) != 0;
    const bool has_lengths = node.has(in::Lengths);
    if (!is_causal && left < 0 && right < 0 && !has_lengths)
        return;
    const Dim queries = attention.q->spec.shape[2];
    const Dim keys = attention.k->spec.shape[2];
    Positions at{nullptr, key_positions(node, keys)};
    const auto also = [&](const Val& visible) { attention.visible = sees_both(node, attention.visible, visible); };
    if (has_lengths) {
        if (node.rank(in::Lengths) != 1 || differ(node.shape(in::Lengths)[0], attention.q->spec.shape[0]) ||
            node.dtype(in::Lengths) != ir::DType::I64)
            throw OpError("nonpad_kv_seqlen is ", text_of(node.in(in::Lengths)->spec), ", not one int64 for each of ",
                          text_of(attention.q->spec.shape[0]), " sequences");
        also(sees_first(node, at.keys, node.in(in::Lengths)));
        const Val count =
            node.add(OpId::Extents, {}, {{"values", Shape{queries}}, {"shape", Ints{1}}, {"dtype", ir::DType::I64}});
        at.queries = query_positions(node, node.add(OpId::Subtract, {node.in(in::Lengths), count}), queries);
    } else {
        at.queries = query_positions(node, past, queries);
    }
    // A query without a cache, or behind one, sees the first key; in a window, at least the one that it stands at.
    const bool stands_at_key = same_dim(keys, simplified(ir::add(past, queries)));
    attention.may_see_nothing |= has_lengths || ((left >= 0 || right >= 0) && !stands_at_key);
    if (is_causal)
        also(sees_no_later(node, at));
    if (left >= 0 || right >= 0)
        also(sees_window(node, at, left, right));
}

std::optional<ir::DType> softmax_type(const NodeCall& node) {
    if (!node.has_attribute("softmax_precision"))
        return std::nullopt;
    const ir::DType dtype = node.type("softmax_precision", Float);
    if (!ir::is_float(dtype) || ir::info(dtype).bits < 16)
        throw OpError("softmax_precision ", ir::info(dtype).name, " is not float32, float16, float64 or bfloat16");
    return dtype;
}

double positive_or_default(const NodeCall& node, const std::string& name, double otherwise) {
    const double value = node.f(name, otherwise);
    if (!(value >= 0) || std::isinf(value))
        throw OpError(name, " is ", std::to_string(value), ", which is not a size");
    return value;
}

double scale_of(const NodeCall& node, const Dim& size) {
    if (node.has_attribute("scale"))
        return positive_or_default(node, "scale", 0);
    const auto extent = constant_of(size);
    if (!extent || *extent < 1)
        throw OpError("a head has ", text_of(size), " elements, of which no scale follows");
    return 1 / std::sqrt(static_cast<double>(*extent));
}

} // namespace

Vals attention(NodeCall& node) {
    check_attention_operands(node);
    const bool is_packed = node.rank(in::Q) == 3;
    Attention attention;
    attention.q = heads_of(node, in::Q, "q_num_heads", "Q");
    attention.k = with_past(node, in::PastKey, "past_key", heads_of(node, in::K, "kv_num_heads", "K"));
    attention.v = with_past(node, in::PastValue, "past_value", heads_of(node, in::V, "kv_num_heads", "V"));
    check_shapes(attention);
    attention.scale = scale_of(node, attention.q->spec.shape[3]);
    attention.softcap = positive_or_default(node, "softcap", 0);
    attention.softmax_dtype = softmax_type(node);
    add_mask(node, attention);
    add_positions(node, attention, node.has(in::PastKey) ? node.shape(in::PastKey)[2] : dim(0));
    if (node.wants_output(3)) {
        const std::int64_t mode = node.i("qk_matmul_output_mode", 0);
        if (mode < 0 || mode > 3)
            throw OpError("qk_matmul_output_mode is ", mode, ", not one of 0 to 3");
        attention.wanted = static_cast<ScoreStage>(mode);
    }
    const Attended attended = attend(node, attention);
    return {is_packed ? merge_heads(node, attended.y) : attended.y, attention.k, attention.v, attended.scores};
}

namespace {

// Of the whole table by the positions, or of each token already: [batch, length, pairs] as [batch, 1, length, pairs].
Val angles(NodeCall& node, std::size_t operand, const std::string& what, const Dim& pairs) {
    Val table = node.in(operand);
    const bool has_positions = node.has(3);
    if (table->spec.shape.size() != (has_positions ? 2U : 3U))
        throw OpError(what, " is of shape ", text_of(table->spec.shape), ", not of ",
                      (has_positions ? "two dimensions, as with position_ids" : "three, as without position_ids"));
    if (table->spec.dtype != node.dtype())
        throw OpError(what, " is of ", ir::info(table->spec.dtype).name, ", and the tokens of ",
                      ir::info(node.dtype()).name);
    if (differ(table->spec.shape.back(), pairs))
        throw OpError(what, " is of shape ", text_of(table->spec.shape), ", and ", text_of(pairs),
                      " pairs are to be turned");
    if (has_positions) {
        node.check_indices(3, table->spec.shape[0]);
        table = node.add(OpId::Take, {table, node.in(3)}, {{"axis", std::int64_t{0}}});
    }
    return node.unsqueeze(table, {1});
}

} // namespace

Vals rotary_embedding(NodeCall& node) {
    if (node.rank() != 3 && node.rank() != 4)
        throw OpError("X is of shape ", text_of(node.shape()), ", not of three or four dimensions");
    const bool is_packed = node.rank() == 3;
    const Val x = is_packed ? split_heads(node, node.in(), heads_attribute(node, "num_heads"), "X") : node.in();
    const Shape& shape = x->spec.shape;
    const Shape tokens = {shape[0], shape[2]};
    if (node.has(3) && differ(node.shape(3), tokens))
        throw OpError("position_ids is of shape ", text_of(node.shape(3)), ", and the tokens of ", text_of(tokens));
    const std::int64_t turned = node.i("rotary_embedding_dim", 0);
    const auto size = constant_of(shape[3]);
    if (turned < 0 || turned % 2 != 0 || (size && turned > *size))
        throw OpError("rotary_embedding_dim is ", turned, ", and a head has ", text_of(shape[3]), " elements");
    if (turned == 0 && size && *size % 2 != 0)
        throw OpError("heads of ", *size, " elements are not made of pairs");
    const Dim pairs = turned > 0 ? dim(turned / 2) : simplified(ir::floor_div(shape[3], dim(2)));
    const Val cosines = angles(node, 1, "cos_cache", pairs);
    const Val sines = angles(node, 2, "sin_cache", pairs);
    for (const Val& each : {cosines, sines})
        for (std::size_t d = 0; d < 2; ++d)
            if (differ(each->spec.shape[d * 2], tokens[d]))
                throw OpError("the angles are of shape ", text_of(each->spec.shape), ", and the tokens of ",
                              text_of(tokens));
    const Val y = rotate(node, x, cosines, sines, node.i("interleaved", 0) != 0);
    return {is_packed ? merge_heads(node, y) : y};
}

} // namespace hidet::graph::onnx
