// SPDX-License-Identifier: Apache-2.0
// Operators with a state that the model carries from run to run: caches of keys and values, recurrences.
#include <cmath>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/attention_parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

struct Cache {
    std::size_t axis = 0;
    Dim extent; // of the cache
    Dim added;
    bool is_circular = false;
};

Cache cache_of(const NodeCall& node) {
    const Shape& cache = node.shape(0);
    const Shape& update = node.shape(1);
    if (cache.size() != update.size() || node.dtype(0) != node.dtype(1))
        throw OpError("the cache is ", text_of(node.in(0)->spec), ", and the update ", text_of(node.in(1)->spec));
    Cache result;
    result.axis = static_cast<std::size_t>(normalise_axis(node.i("axis", -2), cache.size(), "axis"));
    if (result.axis == 0)
        throw OpError("axis 0 is that of the batch, not of a sequence");
    for (std::size_t d = 0; d < cache.size(); ++d)
        if (d != result.axis && differ(cache[d], update[d]))
            throw OpError("the update of shape ", text_of(update), " does not fit into the cache of ", text_of(cache));
    result.extent = cache[result.axis];
    result.added = update[result.axis];
    if (const auto most = constant_of(result.extent), added = constant_of(result.added);
        most && added && *added > *most)
        throw OpError("an update of ", *added, " is longer than the cache of ", *most);
    const std::string mode = node.s("mode", "linear");
    if (mode != "linear" && mode != "circular")
        throw OpError("mode '", mode, "' is neither linear nor circular");
    result.is_circular = mode == "circular";
    return result;
}

// Indices that are constants are checked here, those that are data by who runs the model.
void check_write_indices(const NodeCall& node, const Cache& cache) {
    if (node.rank(2) != 1 || differ(node.shape(2)[0], node.shape(0)[0]) || ir::is_float(node.dtype(2)))
        throw OpError("write_indices is ", text_of(node.in(2)->spec), ", not an integer for each of ",
                      text_of(node.shape(0)[0]), " sequences");
    const auto most = constant_of(cache.extent);
    const auto added = constant_of(cache.added);
    if (!node.in(2)->data || cache.is_circular || !most || !added)
        return;
    for (std::int64_t first : integers_of(*node.in(2)->data))
        if (first < 0 || first > *most - *added)
            throw OpError("an update of ", *added, " at ", first, " does not fit into the cache of ", *most);
}

} // namespace

// Every place of the cache asks which element of the update comes there, so that nothing is scattered.
Vals tensor_scatter(NodeCall& node) {
    const Cache cache = cache_of(node);
    const ir::DType index = ir::DType::I64;
    const auto number = [&](const Dim& value) {
        return node.add(OpId::Extents, {}, {{"values", Shape{value}}, {"shape", Ints{}}, {"dtype", index}});
    };
    Shape along(node.rank(), dim(1));
    along[cache.axis] = cache.extent;
    Val place = node.reshape(node.count_up(dim(0), cache.extent), along);
    if (node.has(2)) {
        check_write_indices(node, cache);
        Shape by_sequence(node.rank(), dim(1));
        by_sequence[0] = node.shape(0)[0];
        const Dim places =
            cache.is_circular ? cache.extent : simplified(ir::add(ir::sub(cache.extent, cache.added), dim(1)));
        const Val first = as_places(node, node.cast(node.in(2), index), places);
        place = node.add(OpId::Subtract, {place, node.reshape(first, by_sequence)});
    }
    if (cache.is_circular)
        place = node.add(OpId::Mod, {place, number(cache.extent)});
    const Val is_new = node.add(OpId::LogicalAnd, {node.add(OpId::GreaterEqual, {place, node.scalar(index, 0)}),
                                                   node.add(OpId::Less, {place, number(cache.added)})});
    const Val inside = node.add(OpId::Where, {is_new, place, node.scalar(index, 0)});
    const Val update = node.add(OpId::Gather, {node.in(1), node.broadcast(inside, node.shape(0))},
                                {{"axis", static_cast<std::int64_t>(cache.axis)}});
    return {node.add(OpId::Where, {is_new, update, node.in(0)})};
}

// A convolution of each channel with what came before: the state is what the next run's windows reach back to.
Vals causal_conv_with_state(NodeCall& node) {
    if (node.rank(0) != 3 || node.rank(1) != 3)
        throw OpError("the input is of shape ", text_of(node.shape(0)), " and the weight of ", text_of(node.shape(1)),
                      ", not both of three dimensions");
    const Shape& shape = node.shape(0);
    const auto kernel = constant_of(node.shape(1)[2]);
    const auto channels = constant_of(shape[1]);
    if (!kernel || !channels || *kernel < 1 || differ(node.shape(1)[0], shape[1]) ||
        !ir::is_constant(node.shape(1)[1], 1))
        throw OpError("a weight of shape ", text_of(node.shape(1)), " is not one kernel for each channel of ",
                      text_of(shape));
    const std::string activation = node.s("activation", "none");
    if (activation != "none" && activation != "silu" && activation != "swish")
        throw OpError("activation '", activation, "' is not silu, swish or none");
    const Shape kept = {shape[0], shape[1], dim(*kernel - 1)};
    if (node.has(3) && (differ(node.shape(3), kept) || node.dtype(3) != node.dtype()))
        throw OpError("past_state is ", text_of(node.in(3)->spec), ", not of shape ", text_of(kept));
    const Val past = node.has(3) ? node.in(3) : node.full(kept, 0, node.dtype());
    const Val all = *kernel == 1 ? node.in(0) : node.add(OpId::Concat, {past, node.in(0)}, {{"axis", std::int64_t{2}}});
    Val y = node.add(OpId::Conv1d, {all, node.in(1)},
                     {{"stride", Ints{1}}, {"padding", Ints{0, 0}}, {"dilations", Ints{1}}, {"groups", *channels}});
    if (node.has(2)) {
        if (node.rank(2) != 1 || differ(node.shape(2)[0], shape[1]))
            throw OpError("the bias is of shape ", text_of(node.shape(2)), ", and there are ", text_of(shape[1]),
                          " channels");
        y = node.add(OpId::Add, {y, node.reshape(node.in(2), {shape[1], dim(1)})});
    }
    if (activation != "none")
        y = node.add(OpId::Silu, {y});
    const Dim end = all->spec.shape[2];
    return {y, node.slice(all, 2, simplified(ir::sub(end, dim(*kernel - 1))), end)};
}

namespace {

// What there is of an optional operand goes with the rule, and what there is not with what changes nothing.
void want_with_rule(const NodeCall& node, std::size_t operand, const std::string& what, const std::string& rule,
                    bool is_wanted) {
    if (node.has(operand) != is_wanted)
        throw OpError("update_rule '", rule, "' ", (is_wanted ? "wants" : "has no"), " ", what);
}

} // namespace

namespace {

// [batch, length, heads * size] as [batch, heads, length, size]; of a size that all heads share, [batch, 1, length, 1].
struct Tokens {
    Val x;
    Val at(NodeCall& node, std::int64_t t) const { return node.slice(x, 2, dim(t), dim(t + 1)); }
};

struct Recurrence {
    Tokens q, k, v, decay, beta; // the last two: null where the rule has none
    double scale = 1;
    std::int64_t group = 1; // heads of q that read the state of one
};

Val of_state_dtype(NodeCall& node, const Val& x) {
    return node.cast(x, x->spec.dtype == ir::DType::F64 ? ir::DType::F64 : ir::DType::F32);
}

Val last_two_turned(NodeCall& node, const Val& x) {
    return node.transpose(x, {0, 1, 3, 2});
}

// S = exp(g) S;  S += k^T (b (v - k S)), without a delta k^T v;  y = scale q S
Val step(NodeCall& node, const Recurrence& by, std::int64_t t, Val& state) {
    const auto add = [&](OpId op, const Val& a, const Val& b) { return node.add(op, {a, b}); };
    if (by.decay.x) {
        const Val factor = node.add(OpId::Exp, {last_two_turned(node, by.decay.at(node, t))});
        state = add(OpId::Multiply, state, factor);
    }
    const Val k = by.k.at(node, t);
    Val v = by.v.at(node, t);
    if (by.beta.x)
        v = add(OpId::Multiply, by.beta.at(node, t), add(OpId::Subtract, v, add(OpId::Matmul, k, state)));
    state = add(OpId::Add, state, add(OpId::Multiply, last_two_turned(node, k), v));
    // Heads of one group are rows that read one state.
    const Val q = by.q.at(node, t);
    const Shape& s = q->spec.shape;
    const Dim heads = state->spec.shape[1];
    const Val rows = node.reshape(q, {s[0], heads, dim(by.group), s[3]});
    const Val y = add(OpId::Multiply, add(OpId::Matmul, rows, state), node.scalar(state->spec.dtype, by.scale));
    return node.reshape(y, {s[0], s[1], dim(1), y->spec.shape[3]});
}

Val tokens(NodeCall& node, std::size_t operand, std::int64_t heads, const std::string& what) {
    return of_state_dtype(node, split_heads(node, node.in(operand), heads, what));
}

} // namespace

// A token needs the state that the one before it leaves, so that the sequence is unrolled.
Vals linear_attention(NodeCall& node) {
    constexpr std::int64_t longest = 512;
    const std::string rule = node.s("update_rule", "gated_delta");
    const bool is_gated = rule == "gated" || rule == "gated_delta";
    const bool has_delta = rule == "delta" || rule == "gated_delta";
    if (!is_gated && !has_delta && rule != "linear")
        throw OpError("update_rule '", rule, "' is not linear, gated, delta or gated_delta");
    const std::int64_t q_heads = node.i("q_num_heads");
    const std::int64_t heads = node.i("kv_num_heads");
    if (q_heads < 1 || heads < 1 || q_heads % heads != 0)
        throw OpError("q_num_heads is ", q_heads, ", not a multiple of kv_num_heads, which is ", heads);
    want_with_rule(node, 4, "decay", rule, is_gated);
    want_with_rule(node, 5, "beta", rule, has_delta);
    Recurrence by;
    by.group = q_heads / heads;
    by.q.x = tokens(node, 0, q_heads, "query");
    by.k.x = tokens(node, 1, heads, "key");
    by.v.x = tokens(node, 2, heads, "value");
    if (is_gated)
        by.decay.x = tokens(node, 4, heads, "decay");
    if (has_delta)
        by.beta.x = tokens(node, 5, node.rank(5) == 3 && ir::is_constant(node.shape(5)[2], 1) ? 1 : heads, "beta");
    const Shape& q = by.q.x->spec.shape;
    const Shape& v = by.v.x->spec.shape;
    const auto length = constant_of(q[2]);
    const auto size = constant_of(q[3]);
    if (!length || *length < 1 || *length > longest)
        throw OpError("a sequence of ", text_of(q[2]), " tokens is not supported: one of 1 to ", longest,
                      " is, whose length is known");
    if (!size || *size < 1)
        throw OpError("a head of the query has ", text_of(q[3]), " elements");
    for (const Val& each : {by.k.x, by.v.x, by.decay.x, by.beta.x})
        if (each && (differ(each->spec.shape[0], q[0]) || differ(each->spec.shape[2], q[2])))
            throw OpError("the query is of shape ", text_of(node.shape(0)),
                          ", and one of the others of another length");
    if (differ(by.k.x->spec.shape[3], q[3]))
        throw OpError("heads of the key have ", text_of(by.k.x->spec.shape[3]), " elements, and those of the query ",
                      text_of(q[3]));
    const double given = node.f("scale", 0);
    by.scale = given == 0 ? 1 / std::sqrt(static_cast<double>(*size)) : given;
    const Shape of_state = {q[0], dim(heads), q[3], v[3]};
    const ir::DType kept = node.has(3) ? node.dtype(3) : node.dtype();
    if (node.has(3) && differ(node.shape(3), of_state))
        throw OpError("past_state is of shape ", text_of(node.shape(3)), ", not ", text_of(of_state));
    Val state = node.has(3) ? of_state_dtype(node, node.in(3)) : node.full(of_state, 0, by.q.x->spec.dtype);
    Vals results;
    for (std::int64_t t = 0; t < *length; ++t)
        results.push_back(step(node, by, t, state));
    const Val y = results.size() == 1 ? results[0] : node.add(OpId::Concat, results, {{"axis", std::int64_t{2}}});
    return {node.cast(merge_heads(node, y), node.dtype()), node.cast(state, kept)};
}

} // namespace hidet::graph::onnx
