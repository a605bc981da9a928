// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

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
        throw OpError("embedding_bag wants a table of two dimensions and indices of two, or of one with offsets, not " +
                      text_of(weight) + " and " + text_of(call.inputs[0]));
    const std::string mode = call.attributes.get<std::string>("mode");
    if (mode != "sum" && mode != "mean" && mode != "max")
        throw OpError("embedding_bag has no mode '" + mode + "'");
    TaskBuilder builder("embedding_bag");
    Bags bags{call, builder.input("indices", call.inputs[0].dtype, call.inputs[0].shape), nullptr};
    const ir::VarRef table = builder.input("weight", weight.dtype, weight.shape);
    if (has_offsets)
        bags.offsets = builder.input("offsets", call.inputs[2].dtype, call.inputs[2].shape);
    const Shape shape = {bags.count(), weight.shape[1]};
    const ir::DType work = accumulator_of(weight.dtype);
    const ir::VarRef combined = builder.reduce_ragged(
        "combined", work, shape, mode == "max" ? ReduceOp::Max : ReduceOp::Sum,
        [&](const Indices& axes) { return ir::ExprVec{bags.length(axes[0])}; },
        [&](const Indices& axes, const Indices& over) { return bags.element(table, axes[0], over[0], axes[1]); });
    const ir::VarRef y = builder.compute("y", weight.dtype, shape, [&](const Indices& axes) {
        const Expr length = bags.length(axes[0]);
        const Expr value = at(combined, axes);
        if (mode == "sum")
            return value;
        if (mode == "mean")
            return ir::div(value, ir::cast_to(max_index(length, dim(1)), work));
        return ir::select(ir::less(dim(0), length), value, number(0, work));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::EmbeddingBag() {
    static const OpInfo info = {
        .id = OpId::EmbeddingBag,
        .python = "embedding_bag",
        .parameters = "indices, weight, offsets: tensor = None, mode: str = 'mean'",
        .cls = OpClass::Reduction,
        .summary = "rows of a table, combined for each bag of indices; an empty bag gives zeros",
        .example = "hidet.ops.embedding_bag(hidet.zeros([2, 3], dtype='int64'), hidet.randn([5, 4]))",
        .define = define_embedding_bag,
        .indexes = [](const OpCall& call) -> std::vector<Indexing> {
            std::vector<Indexing> indexed = {{.operand = 0, .extents = {call.inputs[1].shape[0]}}};
            if (call.inputs.size() > 2) // a bag may begin behind the last index, and is empty
                indexed.push_back({.operand = 2,
                                   .extents = {simplified(ir::add(call.inputs[0].shape[0], dim(1)))},
                                   .is_from_end = false});
            return indexed;
        },
    };
    return info;
}

} // namespace hidet::graph
