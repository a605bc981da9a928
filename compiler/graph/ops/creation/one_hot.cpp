// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/values.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

// Values are a tensor [off, on], or without it 0 and 1.
Task define_one_hot(const OpCall& call) {
    const auto depth = call.attributes.get<std::int64_t>("depth");
    const Shape& indices = call.inputs[0].shape;
    const std::size_t axis = axis_attribute(call, "axis", indices.size() + 1);
    const bool has_values = call.inputs.size() > 1;
    if (depth < 0)
        throw OpError("one_hot: depth is " + std::to_string(depth));
    if (has_values && (call.inputs[1].shape.size() != 1 || !ir::is_constant(call.inputs[1].shape[0], 2)))
        throw OpError("one_hot wants the two values off and on, not " + text_of(call.inputs[1]));
    const auto dtype = has_values ? call.inputs[1].dtype : call.attributes.get<ir::DType>("dtype");
    TaskBuilder builder("one_hot");
    const ir::VarRef x = builder.input("indices", call.inputs[0].dtype, indices);
    const ir::VarRef values = has_values ? builder.input("values", dtype, call.inputs[1].shape) : nullptr;
    const auto split = static_cast<std::ptrdiff_t>(axis);
    Shape shape = indices;
    shape.insert(shape.begin() + split, dim(depth));
    const ir::VarRef y = builder.compute("one_hot", dtype, shape, [&](const Indices& axes) {
        Indices place = axes;
        place.erase(place.begin() + split);
        return shared(ir::cast_to(at(x, place), ir::DType::I64), [&](const ExprRef& given) {
            // An index that is outside, from either end, is at no place.
            const ExprRef counted = ir::select(ir::less(given, dim(0)), ir::add(given, dim(depth)), given);
            const ExprRef is_on = ir::equal(axes[axis], counted);
            return has_values ? ir::select(is_on, at(values, {dim(1)}), at(values, {dim(0)}))
                              : ir::cast_to(is_on, dtype);
        });
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::OneHot() {
    static const OpInfo info = {
        .id = OpId::OneHot,
        .python = "one_hot",
        .parameters = "indices, depth: int, axis: int = -1, dtype: dtype = 'float32', values: tensor = None",
        .cls = OpClass::Transform,
        .summary =
            "a new dimension `axis` of `depth` places: on (1) at the index, off (0) elsewhere, which `values` holds as "
            "[off, on]",
        .example = "hidet.ops.one_hot(hidet.asarray([0, 2, -1]), depth=4)",
        .define = define_one_hot,
    };
    return info;
}

} // namespace hidet::graph
