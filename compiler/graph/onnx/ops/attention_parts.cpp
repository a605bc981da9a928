// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/ops/attention_parts.h"

#include <algorithm>
#include <limits>

#include "compiler/graph/core/apply.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

Dim product(const Dim& a, const Dim& b) {
    return simplified(ir::mul(a, b));
}

Val plus(NodeCall& node, const Val& x, std::int64_t number) {
    return number == 0 ? x : node.add(OpId::Add, {x, node.scalar(x->spec.dtype, static_cast<double>(number))});
}

} // namespace

Val split_heads(NodeCall& node, const Val& x, std::int64_t heads, const std::string& what) {
    const Shape& shape = x->spec.shape;
    if (shape.size() != 3)
        throw OpError(what, " is of shape ", text_of(shape), ", not of three dimensions");
    if (heads < 1)
        throw OpError(what, " cannot have ", heads, " heads");
    if (const auto hidden = constant_of(shape[2]); hidden && *hidden % heads != 0)
        throw OpError(what, " has ", *hidden, " elements, not a multiple of ", heads, " heads");
    const Dim size = simplified(ir::floor_div(shape[2], dim(heads)));
    return node.transpose(node.reshape(x, {shape[0], shape[1], dim(heads), size}), {0, 2, 1, 3});
}

Val merge_heads(NodeCall& node, const Val& x) {
    const Shape& shape = x->spec.shape;
    return node.reshape(node.transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], product(shape[1], shape[3])});
}

Val key_positions(NodeCall& node, const Dim& keys) {
    return node.count_up(dim(0), keys);
}

// Whatever is read at such a place is zero, and the numbers need no other operator that is known to have indices.
Val as_places(NodeCall& node, const Val& numbers, const Dim& extent) {
    const Val zeros = node.full({extent}, 0, ir::DType::I64);
    const Val read = node.add(OpId::Take, {zeros, numbers}, {{"axis", std::int64_t{0}}, {"from_end", false}});
    return node.add(OpId::Add, {numbers, read});
}

Val query_positions(NodeCall& node, const Dim& first, const Dim& queries) {
    return node.reshape(node.count_up(first, queries), {queries, dim(1)});
}

Val query_positions(NodeCall& node, const Val& first, const Dim& queries) {
    const Val start = node.reshape(node.cast(first, ir::DType::I64), {first->spec.shape[0], dim(1), dim(1), dim(1)});
    return node.add(OpId::Add, {start, query_positions(node, dim(0), queries)});
}

Val sees_both(NodeCall& node, const Val& a, const Val& b) {
    if (!a || !b)
        return a ? a : b;
    return node.add(OpId::LogicalAnd, {a, b});
}

Val sees_no_later(NodeCall& node, const Positions& at) {
    return node.add(OpId::LessEqual, {at.keys, at.queries});
}

Val sees_window(NodeCall& node, const Positions& at, std::int64_t left, std::int64_t right) {
    const Val from = left < 0 ? nullptr : node.add(OpId::LessEqual, {plus(node, at.queries, -left), at.keys});
    const Val to = right < 0 ? nullptr : node.add(OpId::LessEqual, {at.keys, plus(node, at.queries, right)});
    return sees_both(node, from, to);
}

Val sees_first(NodeCall& node, const Val& keys, const Val& lengths) {
    const Val count =
        node.reshape(node.cast(lengths, ir::DType::I64), {lengths->spec.shape[0], dim(1), dim(1), dim(1)});
    return node.add(OpId::Less, {keys, count});
}

namespace {

// Queries of several heads that read the keys of one are a dimension of their own, so that keys and values are broadcast
// instead of repeated.
struct Groups {
    std::int64_t heads = 0; // of keys
    std::int64_t size = 1;

    bool is_one() const { return size == 1; }

    Val of_queries(NodeCall& node, const Val& x) const {
        const Shape& s = x->spec.shape;
        return is_one() ? x : node.reshape(x, {s[0], dim(heads), dim(size), s[2], s[3]});
    }
    Val of_keys(NodeCall& node, const Val& x) const { return is_one() ? x : node.unsqueeze(x, {2}); }
    // What is broadcast to scores.
    Val of_bias(NodeCall& node, const Val& x) const {
        Shape shape = x->spec.shape;
        if (is_one() || shape.size() < 3)
            return x;
        const auto head = shape.end() - 3;
        const bool is_shared = ir::is_constant(*head, 1);
        *head = is_shared ? dim(1) : dim(size);
        shape.insert(shape.end() - 3, is_shared ? dim(1) : dim(heads));
        return node.reshape(x, shape);
    }
    Val back(NodeCall& node, const Val& x) const {
        const Shape& s = x->spec.shape;
        return is_one() ? x : node.reshape(x, {s[0], dim(heads * size), s[3], s[4]});
    }
};

Groups groups_of(const Attention& attention) {
    const Dim& of_q = attention.q->spec.shape[1];
    const Dim& of_k = attention.k->spec.shape[1];
    if (same_dim(of_q, of_k))
        return {};
    const auto queries = constant_of(of_q);
    const auto keys = constant_of(of_k);
    if (!queries || !keys || *keys < 1 || *queries % *keys != 0)
        throw OpError("the queries have ", text_of(of_q), " heads and the keys ", text_of(of_k),
                      ", which do not go into groups");
    return {*keys, *queries / *keys};
}

Val bias_of(NodeCall& node, const Attention& attention) {
    const ir::DType dtype = attention.q->spec.dtype;
    if (!attention.visible)
        return attention.bias ? node.cast(attention.bias, dtype) : nullptr;
    const Val seen = attention.bias ? node.cast(attention.bias, dtype) : node.scalar(dtype, 0);
    return node.add(OpId::Where, {attention.visible, seen, node.scalar(dtype, minus_infinity)});
}

Val capped(NodeCall& node, const Val& scores, double softcap) {
    if (softcap == 0)
        return scores;
    const Val cap = node.scalar(scores->spec.dtype, softcap);
    return node.add(OpId::Multiply, {node.add(OpId::Tanh, {node.add(OpId::Divide, {scores, cap})}), cap});
}

// Whether the bias lets a query see anything; null: it always does.
Val sees_anything(NodeCall& node, const Val& bias) {
    const Val largest = node.add(OpId::ReduceMax, {bias}, {{"dims", Ints{-1}}, {"keepdims", true}});
    const Val sees = node.add(OpId::NotEqual, {largest, node.scalar(bias->spec.dtype, minus_infinity)});
    const bool always =
        sees->data && std::ranges::all_of(integers_of(*sees->data), [](std::int64_t each) { return each != 0; });
    return always ? nullptr : sees;
}

Val zero_unless(NodeCall& node, const Val& sees, const Val& x) {
    return sees ? node.add(OpId::Where, {sees, x, node.scalar(x->spec.dtype, 0)}) : x;
}

} // namespace

Attended attend(NodeCall& node, const Attention& attention) {
    const Groups groups = groups_of(attention);
    const ir::DType dtype = attention.q->spec.dtype;
    Val q = groups.of_queries(node, attention.q);
    if (attention.scale != 1) // there are fewer elements than scores, and none overflows that is no score then
        q = node.add(OpId::Multiply, {q, node.scalar(dtype, attention.scale)});
    const Val k = groups.of_keys(node, node.transpose(attention.k, {0, 1, 3, 2}));
    const Val v = groups.of_keys(node, node.cast(attention.v, dtype));
    const Val scores = node.add(OpId::Matmul, {q, k});
    const Val limited = capped(node, scores, attention.softcap);
    Val bias = bias_of(node, attention);
    if (bias)
        bias = groups.of_bias(node, bias);
    const Val biased = bias ? node.add(OpId::Add, {limited, bias}) : limited;
    const auto changed = [&](const Val& x, const std::function<Val(const Val&)>& by) {
        return by ? groups.of_queries(node, by(groups.back(node, x))) : x;
    };
    const Val exponents = changed(node.cast(biased, attention.softmax_dtype.value_or(dtype)), attention.change_scores);
    const Val softmax = node.add(OpId::Softmax, {exponents}, {{"axis", std::int64_t{-1}}});
    const Val shares = node.cast(changed(softmax, attention.change_shares), dtype);
    // Rows of the scores are rows of the result: what NaN says where nothing is seen is put right behind the product.
    const Val sees = bias && attention.may_see_nothing ? sees_anything(node, bias) : nullptr;
    const Val y = zero_unless(node, sees, node.add(OpId::Matmul, {shares, v}));
    Attended result{groups.back(node, y), nullptr};
    if (attention.wanted) {
        const Val stages[] = {scores, limited, biased, nullptr};
        const Val stage = stages[static_cast<std::size_t>(*attention.wanted)];
        result.scores = groups.back(node, stage ? stage : zero_unless(node, sees, shares));
    }
    return result;
}

Val rotate(NodeCall& node, const Val& x, const Val& cosines, const Val& sines, bool is_interleaved) {
    const Shape& shape = x->spec.shape;
    const Dim pairs = cosines->spec.shape.back();
    const Dim turned = product(pairs, dim(2));
    if (const auto size = constant_of(shape[3]), most = constant_of(turned); size && most && *most > *size)
        throw OpError("heads of ", *size, " elements have no ", text_of(pairs), " pairs to be turned");
    const auto part = [&](bool is_second) {
        if (is_interleaved)
            return node.slice(x, 3, dim(is_second ? 1 : 0), turned, 2);
        return is_second ? node.slice(x, 3, pairs, turned) : node.slice(x, 3, dim(0), pairs);
    };
    const auto times = [&](const Val& a, const Val& b) { return node.add(OpId::Multiply, {a, b}); };
    const Val a = part(false);
    const Val b = part(true);
    const Val first = node.add(OpId::Subtract, {times(a, cosines), times(b, sines)});
    const Val second = node.add(OpId::Add, {times(a, sines), times(b, cosines)});
    const auto joined = [&](const Vals& parts, std::int64_t axis) {
        return node.add(OpId::Concat, parts, {{"axis", axis}});
    };
    Vals parts = {first, second};
    if (is_interleaved)
        parts = {node.reshape(joined({node.unsqueeze(first, {-1}), node.unsqueeze(second, {-1})}, 4),
                              {shape[0], shape[1], shape[2], turned})};
    if (!same_dim(turned, shape[3]))
        parts.push_back(node.slice(x, 3, turned, shape[3]));
    return parts.size() == 1 ? parts[0] : joined(parts, 3);
}

} // namespace hidet::graph::onnx
