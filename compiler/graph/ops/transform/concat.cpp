// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

struct Pieces {
    std::size_t axis = 0;
    ir::DType dtype = ir::DType::F32;
    Shape shape;
    Shape offsets; // of the inputs along the axis, and the whole extent
};

Pieces pieces_of(const OpCall& call, TaskBuilder& builder) {
    Pieces pieces;
    const Shape& first = call.inputs[0].shape;
    pieces.axis = axis_attribute(call, "axis", first.size());
    pieces.dtype = call.inputs[0].dtype;
    pieces.shape = first;
    pieces.offsets = {dim(0)};
    for (const TensorSpec& input : call.inputs) {
        const std::string text = "concat of " + text_of(call.inputs[0]) + " and " + text_of(input) + " along axis " +
                                 std::to_string(pieces.axis);
        const auto dtype = ir::promote(pieces.dtype, input.dtype);
        if (input.shape.size() != first.size() || !dtype)
            throw OpError(text);
        pieces.dtype = *dtype;
        for (std::size_t i = 0; i < first.size(); ++i) {
            if (i == pieces.axis)
                continue;
            if (constant_of(input.shape[i]))
                pieces.shape[i] = input.shape[i];
            builder.require_equal(first[i], input.shape[i], text);
        }
        pieces.offsets.push_back(simplified(ir::add(pieces.offsets.back(), input.shape[pieces.axis])));
    }
    pieces.shape[pieces.axis] = pieces.offsets.back();
    return pieces;
}

// The input that has `axes`, among those from first to last: by halves, so that the expression of many is not deep.
ExprRef element_of(const Pieces& pieces, const ir::VarVec& inputs, const Indices& axes, std::size_t first,
                   std::size_t last) {
    if (last - first == 1) {
        Indices index = axes;
        index[pieces.axis] = ir::sub(axes[pieces.axis], pieces.offsets[first]);
        return ir::cast_to(at(inputs[first], index), pieces.dtype);
    }
    const std::size_t middle = first + (last - first) / 2;
    return ir::select(ir::less(axes[pieces.axis], pieces.offsets[middle]),
                      element_of(pieces, inputs, axes, first, middle), element_of(pieces, inputs, axes, middle, last));
}

Task define_concat(const OpCall& call) {
    TaskBuilder builder("concat");
    ir::VarVec inputs;
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        inputs.push_back(builder.input("x" + std::to_string(i), call.inputs[i].dtype, call.inputs[i].shape));
    const Pieces pieces = pieces_of(call, builder);
    const ir::VarRef y = builder.compute("concat", pieces.dtype, pieces.shape, [&](const Indices& axes) {
        return element_of(pieces, inputs, axes, 0, inputs.size());
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::Concat() {
    static const OpInfo info = {
        .id = OpId::Concat,
        .python = "concat",
        .parameters = "tensors: tensors, axis: int = 0",
        .cls = OpClass::Transform,
        .summary = "the tensors one after the other along an axis; their other extents are equal",
        .example = "hidet.ops.concat([hidet.randn([2, 3]), hidet.randn([4, 3])], axis=0)",
        .define = define_concat,
    };
    return info;
}

} // namespace hidet::graph
