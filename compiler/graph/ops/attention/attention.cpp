// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/attention/attention.h"

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Shape leading(const Shape& shape) {
    return {shape.begin(), shape.end() - 2};
}

// An operand's index from one of the result's leading dimensions and its own last two.
Indices operand_index(const Shape& operand, const Indices& axes, const Expr& row, const Expr& column) {
    Indices index = broadcast_index(leading(operand), Indices(axes.begin(), axes.end() - 2));
    index.push_back(row);
    index.push_back(column);
    return index;
}

// Of k, whose rows are keys if it is to be transposed.
struct Keys {
    Dim length; // of a key
    Dim count;
};

std::optional<Keys> keys_of(const Shape& k, bool transpose_k) {
    if (k.size() < 2)
        return std::nullopt;
    const Dim& rows = k[k.size() - 2];
    return transpose_k ? Keys{k.back(), rows} : Keys{rows, k.back()};
}

Keys check_attention(const OpCall& call, const std::string& name, bool has_mask) {
    const Shape& q = call.inputs[0].shape;
    const Shape& k = call.inputs[1].shape;
    const Shape& v = call.inputs[2].shape;
    const auto keys = keys_of(k, call.attributes.get<bool>("transpose_k"));
    const bool has_ranks = q.size() >= 2 && keys && v.size() >= 2;
    if (!has_ranks || differ(q.back(), keys->length) || differ(keys->count, v[v.size() - 2]))
        throw OpError(name + " of " + text_of(q) + ", " + text_of(k) + " and " + text_of(v) +
                      ": the shapes do not go together");
    if (has_mask)
        broadcast(call.inputs[3].shape, {q[q.size() - 2], keys->count});
    return *keys;
}

} // namespace

Task define_attention(const OpCall& call, const std::string& name, bool has_mask, bool is_causal) {
    const Keys extents = check_attention(call, name, has_mask);
    const bool transpose_k = call.attributes.get<bool>("transpose_k");
    const double scale = call.attributes.get<double>("scale");
    const TensorSpec& q = call.inputs[0];
    const TensorSpec& k = call.inputs[1];
    const TensorSpec& v = call.inputs[2];
    const Dim m = q.shape[q.shape.size() - 2];
    const Dim n = extents.count;
    const ir::DType work = float_type_for(q.dtype);
    TaskBuilder builder(name);
    const ir::VarRef queries = builder.input("q", q.dtype, q.shape);
    const ir::VarRef keys = builder.input("k", k.dtype, k.shape);
    const ir::VarRef values = builder.input("v", v.dtype, v.shape);
    const ir::VarRef mask = has_mask ? builder.input("mask", call.inputs[3].dtype, call.inputs[3].shape) : nullptr;
    Shape batch = broadcast(broadcast(leading(q.shape), leading(k.shape)), leading(v.shape));
    if (has_mask && call.inputs[3].shape.size() > 2)
        batch = broadcast(batch, leading(call.inputs[3].shape));
    for (const TensorSpec* operand : {&q, &k, &v})
        require_broadcast(builder, leading(operand->shape), batch, name);
    builder.require_equal(extents.length, q.shape.back(), name + ": the keys do not have the queries' length");
    builder.require_equal(v.shape[v.shape.size() - 2], n, name + ": there are not as many values as keys");
    const auto with = [&](const Dim& rows, const Dim& columns) {
        Shape shape = batch;
        shape.push_back(rows);
        shape.push_back(columns);
        return shape;
    };
    if (has_mask)
        require_broadcast(builder, call.inputs[3].shape, with(m, n), name);
    const ir::VarRef scores = builder.reduce(
        "scores", work, with(m, n), ReduceOp::Sum, {q.shape.back()}, [&](const Indices& axes, const Indices& over) {
            const Expr left = at(queries, operand_index(q.shape, axes, axes[axes.size() - 2], over[0]));
            const Expr row = transpose_k ? axes.back() : over[0], column = transpose_k ? over[0] : axes.back();
            const Expr right = at(keys, operand_index(k.shape, axes, row, column));
            return ir::mul(ir::cast_to(left, work), ir::cast_to(right, work));
        });
    const auto score = [&](const Indices& axes) {
        Expr value = at(scores, axes);
        if (scale != 1)
            value = ir::mul(value, number(scale, work));
        if (mask)
            value = ir::add(value, ir::cast_to(at(mask, broadcast_index(call.inputs[3].shape, axes)), work));
        if (is_causal)
            value = ir::select(ir::less(axes[axes.size() - 2], axes.back()), lowest_of(work), value);
        return value;
    };
    const auto in_row = [](const Indices& axes, const Expr& column) {
        Indices index = axes;
        index.back() = column;
        return index;
    };
    const ir::VarRef largest =
        builder.reduce("largest", work, with(m, dim(1)), ReduceOp::Max, {n},
                       [&](const Indices& axes, const Indices& over) { return score(in_row(axes, over[0])); });
    const ir::VarRef powers = builder.compute("powers", work, with(m, n), [&](const Indices& axes) {
        return exp_of(ir::sub(score(axes), at(largest, in_row(axes, dim(0)))));
    });
    const ir::VarRef total =
        builder.reduce("total", work, with(m, dim(1)), ReduceOp::Sum, {n},
                       [&](const Indices& axes, const Indices& over) { return at(powers, in_row(axes, over[0])); });
    // Divided once the sum is known: a row of the result is shorter than one of the scores.
    const ir::VarRef weighted = builder.reduce(
        "weighted", work, with(m, v.shape.back()), ReduceOp::Sum, {n}, [&](const Indices& axes, const Indices& over) {
            const Expr value = at(values, operand_index(v.shape, axes, over[0], axes.back()));
            return ir::mul(at(powers, in_row(axes, over[0])), ir::cast_to(value, work));
        });
    const ir::VarRef y = builder.compute("y", q.dtype, with(m, v.shape.back()), [&](const Indices& axes) {
        return ir::div(at(weighted, axes), at(total, in_row(axes, dim(0))));
    });
    return builder.finish({y});
}

} // namespace hidet::graph
