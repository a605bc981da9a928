// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/slices.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_strided_slice(const OpCall& call) {
    TaskBuilder builder("strided_slice");
    const ir::VarRef x = builder.input("x", call.inputs[0].dtype, call.inputs[0].shape);
    const std::vector<SlicedDim> dims = sliced_dims(call, builder);
    Shape shape;
    for (const SlicedDim& each : dims)
        shape.push_back(each.extent);
    const ir::VarRef y = builder.compute("strided_slice", call.inputs[0].dtype, shape, [&](const Indices& axes) {
        Indices index;
        for (std::size_t i = 0; i < dims.size(); ++i)
            index.push_back(ir::add(dims[i].start, ir::mul(axes[i], dim(dims[i].step))));
        return is_empty(shape) ? nothing_of(call.inputs[0].dtype) : at(x, index);
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::StridedSlice() {
    static const OpInfo info = {
        .id = OpId::StridedSlice,
        .python = "strided_slice",
        .parameters = "data, starts: shape, ends: shape, axes: ints = [], strides: ints = []",
        .cls = OpClass::Transform,
        .summary = "x[starts:ends:strides] of the dimensions `axes`, or of the first ones; the rest is whole",
        .example = "hidet.ops.strided_slice(hidet.randn([4, 6]), starts=[1], ends=[-1], axes=[1], strides=[2])",
        .define = define_strided_slice,
    };
    return info;
}

} // namespace hidet::graph
