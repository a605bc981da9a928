// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// The diagonal is an attribute, or (ONNX's Trilu) the one element of a tensor.
Task define_triangle(const OpCall& call, const std::string& name, bool is_upper) {
    const auto [dtype, shape] = call.inputs[0];
    if (shape.size() < 2)
        throw OpError(name + " wants matrices, not " + text_of(call.inputs[0]));
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", dtype, shape);
    const ir::VarRef given =
        call.inputs.size() > 1 ? builder.input("k", call.inputs[1].dtype, call.inputs[1].shape) : nullptr;
    const ir::VarRef y = builder.compute(name, dtype, shape, [&](const Indices& axes) {
        const ir::ExprRef diagonal =
            given ? ir::cast_to(at(given, Indices(call.inputs[1].shape.size(), dim(0))), ir::DType::I64)
                  : dim(call.attributes.get<std::int64_t>("diagonal"));
        const ir::ExprRef& row = axes[axes.size() - 2];
        const ir::ExprRef limit = ir::add(row, diagonal);
        const ir::ExprRef is_kept = is_upper ? ir::less_equal(limit, axes.back()) : ir::less_equal(axes.back(), limit);
        return ir::select(is_kept, at(x, axes), ir::cast_to(ir::int_constant(0), dtype));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::Tril() {
    static const OpInfo info = {
        .id = OpId::Tril,
        .python = "tril",
        .parameters = "x, diagonal: int = 0, k: tensor = None",
        .cls = OpClass::Transform,
        .summary = "matrices with zeros above a diagonal: `diagonal` (or k) places above the main one",
        .example = "hidet.ops.tril(hidet.randn([3, 3]), diagonal=1)",
        .define = [](const OpCall& call) { return define_triangle(call, "tril", false); },
    };
    return info;
}

const OpInfo& op_info::Triu() {
    static const OpInfo info = {
        .id = OpId::Triu,
        .python = "triu",
        .parameters = "x, diagonal: int = 0, k: tensor = None",
        .cls = OpClass::Transform,
        .summary = "matrices with zeros below a diagonal: `diagonal` (or k) places above the main one",
        .example = "hidet.ops.triu(hidet.randn([3, 3]), diagonal=1)",
        .define = [](const OpCall& call) { return define_triangle(call, "triu", true); },
    };
    return info;
}

} // namespace hidet::graph
