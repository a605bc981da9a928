// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_repeat_interleave(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const bool is_flat = !call.attributes.find("dim");
    Shape shape = is_flat ? Shape{element_count(from)} : from;
    const std::size_t axis = is_flat ? 0 : axis_attribute(call, "dim", shape.size());
    const std::int64_t repeats = call.attributes.get<std::int64_t>("repeats");
    if (repeats < 0)
        throw OpError("repeat_interleave: repeats is " + std::to_string(repeats));
    const Shape once = shape;
    shape[axis] = simplified(ir::mul(shape[axis], dim(repeats)));
    return define_move(call, "repeat_interleave", shape, [&](const Indices& axes) {
        Indices index = axes;
        index[axis] = ir::div(axes[axis], dim(repeats));
        return reshaped_index(from, once, index);
    });
}

} // namespace

const OpInfo& op_info::RepeatInterleave() {
    static const OpInfo info = {
        .id = OpId::RepeatInterleave,
        .python = "repeat_interleave",
        .parameters = "data, repeats: int, dim: int = None",
        .cls = OpClass::Transform,
        .summary = "each element repeated so many times in place along `dim`; without `dim`, of the flattened tensor",
        .example = "hidet.ops.repeat_interleave(hidet.randn([2, 3]), 2, dim=1)",
        .define = define_repeat_interleave,
    };
    return info;
}

} // namespace hidet::graph
