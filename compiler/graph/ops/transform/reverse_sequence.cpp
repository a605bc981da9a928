// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_reverse_sequence(const OpCall& call) {
    want_integers(call, 1, "reverse_sequence");
    const auto [dtype, shape] = call.inputs[0];
    const std::size_t batch = axis_attribute(call, "batch_axis", shape.size());
    const std::size_t time = axis_attribute(call, "time_axis", shape.size());
    const std::string text = "reverse_sequence of " + text_of(call.inputs[0]) + " with lengths " +
                             text_of(call.inputs[1]) + " along axis " + std::to_string(time);
    if (batch == time || call.inputs[1].shape.size() != 1)
        throw OpError(text);
    TaskBuilder builder("reverse_sequence");
    const ir::VarRef x = builder.input("x", dtype, shape);
    const ir::VarRef lengths = builder.input("lengths", call.inputs[1].dtype, call.inputs[1].shape);
    builder.require_equal(shape[batch], call.inputs[1].shape[0], text);
    const ir::VarRef y = builder.compute("reverse_sequence", dtype, shape, [&](const Indices& axes) {
        // A length beyond the axis reverses all of it.
        const ir::ExprRef given = ir::cast_to(at(lengths, {axes[batch]}), ir::DType::I64);
        const ir::VarRef length = ir::make_var("length", ir::data_type(ir::DType::I64));
        Indices index = axes;
        index[time] =
            ir::select(ir::less(axes[time], length), ir::sub(ir::sub(length, dim(1)), axes[time]), axes[time]);
        return ir::make_let(length, ir::math(ir::IntrinsicId::Min, {given, shape[time]}), at(x, index));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::ReverseSequence() {
    static const OpInfo info = {
        .id = OpId::ReverseSequence,
        .python = "reverse_sequence",
        .parameters = "x, lengths, batch_axis: int = 1, time_axis: int = 0",
        .cls = OpClass::Transform,
        .summary = "x with the first lengths[b] elements of sequence b reversed along time_axis",
        .example = "hidet.ops.reverse_sequence(hidet.randn([4, 2]), hidet.asarray([3, 4]))",
        .define = define_reverse_sequence,
        .indexes = [](const OpCall& call) -> std::vector<Indexing> {
            const Shape& shape = call.inputs[0].shape;
            const Dim& time = shape[axis_attribute(call, "time_axis", shape.size())];
            return {{.operand = 1, .extents = {simplified(ir::add(time, dim(1)))}, .is_from_end = false}};
        },
    };
    return info;
}

} // namespace hidet::graph
