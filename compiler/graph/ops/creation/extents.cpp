// SPDX-License-Identifier: Apache-2.0
// Extents as data: what is left of a model's shape arithmetic where an operator reads it as a tensor.
#include "compiler/graph/core/op.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// One expression per element, chosen by the index.
Task define_extents(const OpCall& call) {
    const Shape& values = call.attributes.get<Shape>("values");
    const Shape shape = shape_of(call.attributes.get<Ints>("shape"));
    const ir::DType dtype = call.attributes.get<ir::DType>("dtype");
    TaskBuilder builder("extents");
    const ir::VarRef y = builder.compute("extents", dtype, shape, [&](const Indices& axes) {
        const ir::ExprRef index = ir::flatten(axes, shape);
        ir::ExprRef value = values.empty() ? dim(0) : values.back();
        for (std::size_t i = values.size(); i-- > 1;)
            value = ir::select(ir::less(index, dim(static_cast<std::int64_t>(i))), values[i - 1], value);
        return ir::cast_to(value, dtype);
    });
    return builder.finish({y});
}

Task define_count_up(const OpCall& call) {
    const Shape& given = call.attributes.get<Shape>("range");
    if (given.size() != 3)
        throw OpError("CountUp takes a range of 3 numbers, not of " + std::to_string(given.size()));
    const ir::DType dtype = call.attributes.get<ir::DType>("dtype");
    TaskBuilder builder("count_up");
    const ir::VarRef y = builder.compute("count_up", dtype, {given[1]}, [&](const Indices& axes) {
        return ir::cast_to(ir::add(given[0], ir::mul(axes[0], given[2])), dtype);
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::CountUp() {
    static const OpInfo info = {
        .id = OpId::CountUp,
        .python = "",
        .parameters = "range: shape, dtype: dtype",
        .cls = OpClass::Transform,
        .summary = "range[0], range[0] + range[2], ...: range[1] integers",
        .example = "",
        .define = define_count_up,
    };
    return info;
}

const OpInfo& op_info::Extents() {
    static const OpInfo info = {
        .id = OpId::Extents,
        .python = "",
        .parameters = "values: shape, shape: ints, dtype: dtype",
        .cls = OpClass::Transform,
        .summary = "a tensor of the given shape whose elements are extents",
        .example = "",
        .define = define_extents,
    };
    return info;
}

} // namespace hidet::graph
