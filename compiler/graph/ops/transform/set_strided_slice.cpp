// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/graph/ops/transform/slices.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

// Where an element of x is in the slice, and whether it is.
struct Place {
    Indices index;
    ExprRef is_in = ir::bool_constant(true);
};

Place place_of(const std::vector<SlicedDim>& dims, const Indices& axes) {
    Place place;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i].is_whole) {
            place.index.push_back(axes[i]);
            continue;
        }
        const bool is_down = dims[i].step < 0;
        const Dim stride = dim(is_down ? -dims[i].step : dims[i].step);
        const ExprRef distance = is_down ? ir::sub(dims[i].start, axes[i]) : ir::sub(axes[i], dims[i].start);
        const ExprRef position = ir::floor_div(distance, stride);
        const ExprRef is_step = ir::equal(ir::floor_mod(distance, stride), dim(0));
        place.is_in =
            ir::logical_and(place.is_in, ir::logical_and(is_step, in_range(position, dim(0), dims[i].extent)));
        place.index.push_back(position);
    }
    return place;
}

// Dimensions that were indexed by a number are not in the value.
Shape value_shape(const std::vector<SlicedDim>& dims, const std::vector<std::size_t>& index_dims) {
    Shape shape;
    for (std::size_t i = 0; i < dims.size(); ++i)
        if (std::ranges::find(index_dims, i) == index_dims.end())
            shape.push_back(dims[i].extent);
    return shape;
}

Indices value_index(const Indices& index, const std::vector<std::size_t>& index_dims, const Shape& value) {
    Indices kept;
    for (std::size_t i = 0; i < index.size(); ++i)
        if (std::ranges::find(index_dims, i) == index_dims.end())
            kept.push_back(index[i]);
    return broadcast_index(value, kept);
}

Task define_set_strided_slice(const OpCall& call) {
    TaskBuilder builder("set_strided_slice");
    const auto [dtype, shape] = call.inputs[0];
    const ir::VarRef x = builder.input("x", dtype, shape);
    const bool has_tensor = call.inputs.size() > 1;
    const ir::VarRef value = has_tensor ? builder.input("value", call.inputs[1].dtype, call.inputs[1].shape) : nullptr;
    const std::vector<SlicedDim> dims = sliced_dims(call, builder);
    const std::vector<std::size_t> index_dims = axes_attribute(call, "index_dims", shape.size());
    if (has_tensor) {
        const Shape wants = value_shape(dims, index_dims);
        const Shape& have = call.inputs[1].shape;
        if (have.size() > wants.size() || !same_shape(broadcast(have, wants), wants))
            throw OpError("a value of shape " + text_of(have) + " does not fit into a slice of shape " +
                          text_of(wants));
        require_broadcast(builder, have, wants, "set_strided_slice");
    }
    const Attribute* scalar = call.attributes.find("setvalue");
    const ExprRef constant = scalar ? ir::cast_to(scalar_operand(*scalar, dtype), dtype) : nothing_of(dtype);
    const ir::VarRef y = builder.compute("set_strided_slice", dtype, shape, [&](const Indices& axes) {
        const Place place = place_of(dims, axes);
        const ExprRef set =
            has_tensor ? ir::cast_to(at(value, value_index(place.index, index_dims, call.inputs[1].shape)), dtype)
                       : constant;
        return ir::select(place.is_in, set, at(x, axes));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::SetStridedSlice() {
    static const OpInfo info = {
        .id = OpId::SetStridedSlice,
        .python = "set_strided_slice",
        .parameters = "data, starts: shape, ends: shape, axes: ints = [], strides: ints = [], setvalue: number = 0, "
                      "index_dims: ints = [], value: tensor = None",
        .cls = OpClass::Transform,
        .summary =
            "x with another value in x[starts:ends:strides]: the number setvalue, or a tensor that is broadcast to "
            "it without the dimensions `index_dims`",
        .example = "hidet.ops.set_strided_slice(hidet.randn([4, 6]), starts=[1], ends=[3], setvalue=1.0)",
        .define = define_set_strided_slice,
    };
    return info;
}

} // namespace hidet::graph
