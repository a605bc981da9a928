// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/op.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const Shape& to = call.attributes.get<Shape>("shape");
    const Dim had = element_count(from);
    const Dim wants = element_count(to);
    if (constant_of(had) && constant_of(wants) && !same_dim(had, wants))
        throw OpError("a tensor of shape " + text_of(from) + " cannot be reshaped to " + text_of(to));
    TaskBuilder builder("reshape");
    const ir::VarRef x = builder.input("x", call.inputs[0].dtype, from);
    const ir::VarRef y = builder.compute("reshape", call.inputs[0].dtype, to, [&](const Indices& axes) {
        return at(x, ir::unflatten(ir::flatten(axes, to), from));
    });
    builder.inverse(0, [&](const Indices& axes) { return ir::unflatten(ir::flatten(axes, from), to); });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::Reshape() {
    static const OpInfo info = {
        .name = "Reshape",
        .python = "reshape",
        .parameters = "x, shape: shape",
        .cls = OpClass::Transform,
        .summary = "the same elements in row-major order under another shape",
        .example = "hidet.ops.reshape(hidet.randn([2, 6]), [3, 4])",
        .define = define,
        .shares_memory = true,
    };
    return info;
}

} // namespace hidet::graph
