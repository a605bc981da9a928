// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention as one operator with stages. Inputs: q [..., m, d], k [..., d, n] (transposed already; with
// transpose_k it is [..., n, d]), v [..., n, e] and, for attn_mask_add, a mask that is added to the scores, which are
// multiplied by scale before, and broadcasts to [..., m, n]. A cache that a step writes one key and value into is read as it
// was before, when transpose_k is true: new_k [..., 1, d] and new_v [..., 1, e] stand in the row `place` of k and v, which
// counts from the end when it is negative; a place outside replaces nothing.
#include "compiler/graph/ops/elementwise/pointwise.h"
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
        throw OpError(name, " of ", text_of(q), ", ", text_of(k), " and ", text_of(v),
                      ": the shapes do not go together");
    if (has_mask)
        broadcast(call.inputs[3].shape, {q[q.size() - 2], keys->count});
    return *keys;
}

// Inputs of attn_mask_add that are there together, or not at all.
enum Update : std::size_t { new_k = 4, new_v, place, end_of_update };

void check_update(const OpCall& call, const std::string& name) {
    const bool is_whole = call.inputs.size() == end_of_update && call.attributes.get<bool>("transpose_k");
    const auto is_row_of = [&](const TensorSpec& row, const TensorSpec& rows) {
        Shape shape = rows.shape;
        shape[shape.size() - 2] = dim(1);
        return row.dtype == rows.dtype && same_shape(row.shape, shape);
    };
    if (!is_whole || !is_row_of(call.inputs[new_k], call.inputs[1]) || !is_row_of(call.inputs[new_v], call.inputs[2]) ||
        constant_of(element_count(call.inputs[place].shape)) != 1 || !ir::is_integer(call.inputs[place].dtype))
        throw OpError(name, ": new rows are one of k, one of v and the integer that says where, with transpose_k");
}

// What k or v is with the new row in its place.
ir::VarRef with_row(TaskBuilder& builder, const std::string& name, const ir::VarRef& rows, const ir::VarRef& row,
                    const ir::VarRef& place) {
    const Shape shape = shape_of(rows);
    return builder.compute(name, dtype_of(rows), shape, [&](const Indices& axes) {
        const Expr at_place = ir::cast_to(at(place, Indices(shape_of(place).size(), dim(0))), ir::DType::I64);
        const Expr& key = axes[axes.size() - 2];
        Indices in_row = axes;
        in_row[in_row.size() - 2] = dim(0);
        const Expr from_end = ir::add(at_place, shape[shape.size() - 2]);
        return ir::select(ir::logical_or(ir::equal(at_place, key), ir::equal(from_end, key)), at(row, in_row),
                          at(rows, axes));
    });
}

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
    const ir::VarRef queries = builder.input("q", q);
    ir::VarRef keys = builder.input("k", k);
    ir::VarRef values = builder.input("v", v);
    const ir::VarRef mask = has_mask ? builder.input("mask", call.inputs[3]) : nullptr;
    if (call.inputs.size() > new_k) {
        check_update(call, name);
        const ir::VarRef key = builder.input("new_k", call.inputs[new_k]);
        const ir::VarRef value = builder.input("new_v", call.inputs[new_v]);
        const ir::VarRef at_place = builder.input("place", call.inputs[place]);
        keys = with_row(builder, "keys", keys, key, at_place);
        values = with_row(builder, "values", values, value, at_place);
    }
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
    return builder.finish("y", q.dtype, with(m, v.shape.back()), [&](const Indices& axes) {
        return ir::div(at(weighted, axes), at(total, in_row(axes, dim(0))));
    });
}

// Of both products. A query that sees no key behind its own place needs no scores there.
Dim attention_flops(const OpCall& call) {
    const Shape &q = call.inputs[0].shape, &v = call.inputs[2].shape;
    const Dim &m = q[q.size() - 2], &n = v[v.size() - 2];
    Dim pairs = ir::mul(m, n);
    if (call.op->id == OpId::Attn && call.attributes.get<bool>("is_causal")) {
        const auto queries = constant_of(m), keys = constant_of(n);
        const std::int64_t seen = queries && keys ? std::min(*queries, *keys) : 0;
        pairs = queries && keys ? dim(seen * (seen + 1) / 2 + (*queries - seen) * *keys) : ir::floor_div(pairs, dim(2));
    }
    const Shape batch = broadcast(broadcast(leading(q), leading(call.inputs[1].shape)), leading(v));
    return simplified(ir::mul(ir::mul(element_count(batch), pairs), ir::mul(dim(2), ir::add(q.back(), v.back()))));
}

struct Bags {
    const OpCall& call;
    ir::VarRef indices;
    ir::VarRef offsets; // null: a row of indices is a bag

    Dim count() const { return offsets ? shape_of(offsets)[0] : shape_of(indices)[0]; }
    Expr offset(const Expr& bag) const { // kept among the indices, whatever it says
        const Expr given = ir::cast_to(at(offsets, {bag}), ir::DType::I64);
        return max_index(dim(0), min_index(given, shape_of(indices)[0]));
    }
    Expr length(const Expr& bag) const {
        if (!offsets)
            return shape_of(indices)[1];
        const Expr next = ir::add(bag, dim(1));
        const Expr end = ir::select(ir::less(next, count()), offset(next), shape_of(indices)[0]);
        return ir::sub(end, offset(bag));
    }
    // Of the table, or 0 where an index leads out of it.
    Expr element(const ir::VarRef& table, const Expr& bag, const Expr& i, const Expr& column) const {
        const Indices place = offsets ? Indices{ir::add(offset(bag), i)} : Indices{bag, i};
        const Dim rows = shape_of(table)[0];
        const Expr index = ir::cast_to(at(indices, place), ir::DType::I64);
        const Expr row = ir::select(ir::less(index, dim(0)), ir::add(index, rows), index);
        return ir::select(is_inside(row, rows), at(table, {row, column}), number(0, dtype_of(table)));
    }
};

Task define_embedding_bag(const OpCall& call) {
    const TensorSpec& weight = call.inputs[1];
    const bool has_offsets = call.inputs.size() > 2;
    if (weight.shape.size() != 2 || call.inputs[0].shape.size() != (has_offsets ? 1U : 2U))
        throw OpError("embedding_bag wants a table of two dimensions and indices of two, or of one with offsets, not ",
                      text_of(weight), " and ", text_of(call.inputs[0]));
    const std::string mode = call.attributes.get<std::string>("mode");
    if (mode != "sum" && mode != "mean" && mode != "max")
        throw OpError("embedding_bag has no mode '", mode, "'");
    TaskBuilder builder("embedding_bag");
    Bags bags{call, builder.input("indices", call.inputs[0]), nullptr};
    const ir::VarRef table = builder.input("weight", weight);
    if (has_offsets)
        bags.offsets = builder.input("offsets", call.inputs[2]);
    const Shape shape = {bags.count(), weight.shape[1]};
    const ir::DType work = accumulator_of(weight.dtype);
    const ir::VarRef combined = builder.reduce_ragged(
        "combined", work, shape, mode == "max" ? ReduceOp::Max : ReduceOp::Sum,
        [&](const Indices& axes) { return ir::ExprVec{bags.length(axes[0])}; },
        [&](const Indices& axes, const Indices& over) { return bags.element(table, axes[0], over[0], axes[1]); });
    return builder.finish("y", weight.dtype, shape, [&](const Indices& axes) {
        const Expr length = bags.length(axes[0]);
        const Expr value = at(combined, axes);
        if (mode == "sum")
            return value;
        if (mode == "mean")
            return ir::div(value, ir::cast_to(max_index(length, dim(1)), work));
        return ir::select(ir::less(dim(0), length), value, number(0, work));
    });
}

} // namespace

std::span<const OpInfo> op_tables::attention() {
    static const OpInfo table[] = {
        {.id = OpId::Attn,
         .python = "attention",
         .parameters = "q, k, v, is_causal: bool = False, transpose_k: bool = False, scale: float = 1.0",
         .cls = OpClass::Contraction,
         .summary = "the softmax of scale times the product of q and k, which is transposed already or by transpose_k, "
                    "times v",
         .example = "hidet.ops.attention(hidet.randn([2, 3, 4]), hidet.randn([2, 4, 5]), hidet.randn([2, 5, 6]))",
         .define =
             [](const OpCall& call) {
                 return define_attention(call, "attn", false, call.attributes.get<bool>("is_causal"));
             },
         .flops = attention_flops},
        {.id = OpId::AttnMaskAdd,
         .python = "attention_mask_add",
         .parameters = "q, k, v, mask, transpose_k: bool = False, scale: float = 1.0, new_k: tensor = None, "
                       "new_v: tensor = None, place: tensor = None",
         .cls = OpClass::Contraction,
         .summary =
             "attention whose scores have a mask added before their softmax; with `new_k` and `new_v`, these are "
             "the rows `place` of k and v",
         .example =
             "hidet.ops.attention_mask_add(hidet.randn([2, 3, 4]), hidet.randn([2, 4, 5]), hidet.randn([2, 5, 6]), "
             "hidet.zeros([3, 5]))",
         .define = [](const OpCall& call) { return define_attention(call, "attn_mask_add", true, false); },
         .flops = attention_flops},
        {OpId::EmbeddingBag, "embedding_bag", "indices, weight, offsets: tensor = None, mode: str = 'mean'",
         OpClass::Reduction, "rows of a table, combined for each bag of indices; an empty bag gives zeros",
         "hidet.ops.embedding_bag(hidet.zeros([2, 3], dtype='int64'), hidet.randn([5, 4]))", define_embedding_bag,
         [](const OpCall& call) -> std::vector<Indexing> {
             std::vector<Indexing> indexed = {{.operand = 0, .extents = {call.inputs[1].shape[0]}}};
             if (call.inputs.size() > 2) // a bag may begin behind the last index, and is empty
                 indexed.push_back({.operand = 2,
                                    .extents = {simplified(ir::add(call.inputs[0].shape[0], dim(1)))},
                                    .is_from_end = false});
             return indexed;
         }},
    };
    return table;
}

} // namespace hidet::graph
