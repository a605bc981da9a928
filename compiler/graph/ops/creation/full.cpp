// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/values.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_full(const OpCall& call) {
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    const Shape shape = dims_attribute(call, "shape");
    for (const Dim& extent : shape)
        if (constant_of(extent) && *constant_of(extent) < 0)
            throw OpError("full: the shape " + text_of(shape) + " has a negative extent");
    const Attribute* value = call.attributes.find("value");
    const ir::ExprRef constant = ir::cast_to(value ? scalar_operand(*value, dtype) : ir::int_constant(0), dtype);
    TaskBuilder builder("full");
    return builder.finish({builder.compute("full", dtype, shape, [&](const Indices&) { return constant; })});
}

} // namespace

const OpInfo& op_info::Full() {
    static const OpInfo info = {
        .id = OpId::Full,
        .python = "full",
        .parameters = "shape: shape, value: number = 0, dtype: dtype = 'float32', device: str = 'cpu'",
        .cls = OpClass::Transform,
        .summary = "a tensor whose elements all have one value",
        .example = "hidet.ops.full([2, 3], 1.5)",
        .define = define_full,
    };
    return info;
}

} // namespace hidet::graph
