// SPDX-License-Identifier: Apache-2.0
// Larger tensors of smaller ones.
#include <algorithm>

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;
using Math = ir::IntrinsicId;

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
        inputs.push_back(builder.input("x" + std::to_string(i), call.inputs[i]));
    const Pieces pieces = pieces_of(call, builder);
    return builder.finish("concat", pieces.dtype, pieces.shape,
                          [&](const Indices& axes) { return element_of(pieces, inputs, axes, 0, inputs.size()); });
}

Task define_tile(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const Shape repeats = dims_attribute(call, "repeats");
    if (repeats.size() != from.size())
        throw OpError("tile: ", repeats.size(), " repeats for a tensor of shape ", text_of(from));
    Shape to;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (constant_of(repeats[i]) && *constant_of(repeats[i]) < 0)
            throw OpError("tile: repeats ", text_of(repeats), " are negative");
        to.push_back(simplified(ir::mul(from[i], repeats[i])));
    }
    return define_move(call, "tile", to, [&](const Indices& axes) {
        Indices index;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const bool is_once = ir::is_constant(repeats[i], 1);
            const auto again = [&] { return ir::truncating_mod(axes[i], from[i]); };
            index.push_back(is_once ? axes[i] : ir::is_constant(from[i], 1) ? dim(0) : again());
        }
        return index;
    });
}

Task define_repeat_interleave(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const bool is_flat = !call.attributes.find("dim");
    Shape shape = is_flat ? Shape{element_count(from)} : from;
    const std::size_t axis = is_flat ? 0 : axis_attribute(call, "dim", shape.size());
    const std::int64_t repeats = call.attributes.get<std::int64_t>("repeats");
    if (repeats < 0)
        throw OpError("repeat_interleave: repeats is ", repeats);
    const Shape once = shape;
    shape[axis] = simplified(ir::mul(shape[axis], dim(repeats)));
    return define_move(call, "repeat_interleave", shape, [&](const Indices& axes) {
        Indices index = axes;
        index[axis] = ir::div(axes[axis], dim(repeats));
        return reshaped_index(from, once, index);
    });
}

// Padding of all modes. A negative pad cuts; what is left is then padded by the positive ones.
// What a dimension of x becomes: `cut` elements are left out at its front and so many at its end that `extent` are left;
// they stand at `before` in the `padded` ones of the result.
struct PaddedDim {
    Dim cut, extent, before, padded;
    bool is_padded = false; // at either side
};

Dim positive(const Dim& pad) {
    return constant_of(pad) && *constant_of(pad) < 0 ? dim(0) : pad;
}

Dim negative(const Dim& pad) {
    return constant_of(pad) && *constant_of(pad) < 0 ? dim(-*constant_of(pad)) : dim(0);
}

std::vector<PaddedDim> padded_dims(const OpCall& call, TaskBuilder& builder) {
    const Shape& shape = call.inputs[0].shape;
    const Shape pads = pads_of(call);
    std::vector<PaddedDim> dims;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const Dim& before = pads[i];
        const Dim& after = pads[shape.size() + i];
        PaddedDim d;
        d.cut = negative(before);
        d.extent = simplified(ir::sub(ir::sub(shape[i], d.cut), negative(after)));
        d.before = positive(before);
        d.padded = simplified(ir::add(ir::add(d.extent, d.before), positive(after)));
        d.is_padded = !ir::is_constant(d.before, 0) || !ir::is_constant(positive(after), 0);
        const std::string text = "pad: shape " + text_of(shape) + " is too small for pads " + text_of(pads);
        builder.require(ir::less_equal(dim(0), d.extent), text);
        for (const Dim& pad : {before, after})
            if (!constant_of(pad))
                builder.require(ir::less_equal(dim(0), pad), text);
        dims.push_back(std::move(d));
    }
    return dims;
}

// Back and forth between the first and the last element, which are not repeated.
ExprRef reflected(const ExprRef& i, const Dim& extent) {
    if (ir::is_constant(extent, 1))
        return dim(0);
    const Dim last = simplified(ir::sub(extent, dim(1)));
    const Dim period = ir::math(Math::Max, {ir::mul(last, dim(2)), dim(1)});
    return shared(ir::floor_mod(i, simplified(period)), [&](const ExprRef& phase) {
        return ir::math(Math::Min, {phase, ir::sub(ir::mul(last, dim(2)), phase)});
    });
}

ExprRef edge(const ExprRef& i, const Dim& extent) {
    return ir::math(Math::Max, {ir::math(Math::Min, {i, simplified(ir::sub(extent, dim(1)))}), dim(0)});
}

// The index into what is left of the dimension.
ExprRef source(const std::string& mode, const ExprRef& i, const Dim& extent) {
    if (mode == "reflect")
        return reflected(i, extent);
    return mode == "edge" ? edge(i, extent) : ir::floor_mod(i, extent);
}

Task define_pad(const OpCall& call) {
    const auto mode = call.attributes.get<std::string>("mode");
    const bool is_constant = mode == "constant";
    if (!is_constant && mode != "reflect" && mode != "edge" && mode != "wrap")
        throw OpError("pad has the modes constant, reflect, edge and wrap, not '", mode, "'");
    const auto [dtype, from] = call.inputs[0];
    TaskBuilder builder("pad");
    const ir::VarRef x = builder.input("x", dtype, from);
    const ir::VarRef fill = call.inputs.size() > 1 ? builder.input("fill", call.inputs[1]) : nullptr;
    const std::vector<PaddedDim> dims = padded_dims(call, builder);
    Shape shape;
    for (const PaddedDim& d : dims) {
        shape.push_back(d.padded);
        if (!is_constant && d.is_padded)
            builder.require(ir::less(dim(0), d.extent), "pad: nothing to " + mode + " in shape " + text_of(from));
    }
    const Attribute* value = call.attributes.find("value");
    const ExprRef constant = ir::cast_to(value ? scalar_operand(*value, dtype) : ir::int_constant(0), dtype);
    return builder.finish("pad", dtype, shape, [&](const Indices& axes) {
        Indices index;
        ExprRef inside = ir::bool_constant(true);
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const ExprRef place = ir::sub(axes[i], dims[i].before);
            const bool moves = !is_constant && dims[i].is_padded;
            index.push_back(ir::add(moves ? source(mode, place, dims[i].extent) : place, dims[i].cut));
            if (is_constant && dims[i].is_padded)
                inside = ir::logical_and(inside, is_inside(place, dims[i].extent));
        }
        const ExprRef outside =
            fill ? ir::cast_to(at(fill, Indices(call.inputs[1].shape.size(), dim(0))), dtype) : constant;
        return guarded_read(x, index, inside, outside);
    });
}

} // namespace

std::span<const OpInfo> op_tables::extend() {
    static const OpInfo table[] = {
        {OpId::Concat, "concat", "tensors: tensors, axis: int = 0", OpClass::Transform,
         "the tensors one after the other along an axis; their other extents are equal",
         "hidet.ops.concat([hidet.randn([2, 3]), hidet.randn([4, 3])], axis=0)", define_concat},
        {OpId::Tile, "tile", "data, repeats: shape", OpClass::Transform,
         "x repeated as a whole, repeats[i] times along dimension i", "hidet.ops.tile(hidet.randn([2, 3]), [1, 2])",
         define_tile},
        {OpId::RepeatInterleave, "repeat_interleave", "data, repeats: int, dim: int = None", OpClass::Transform,
         "each element repeated so many times in place along `dim`; without `dim`, of the flattened tensor",
         "hidet.ops.repeat_interleave(hidet.randn([2, 3]), 2, dim=1)", define_repeat_interleave},
        {OpId::Pad, "pad", "data, pads: shape, mode: str = 'constant', value: number = 0, fill: tensor = None",
         OpClass::Transform,
         "data with pads[i] elements more before dimension i and pads[rank + i] after it (fewer pads: of the last "
         "dimensions): `value` (or the one element of fill), or those of x by reflect, edge or wrap; negative pads cut",
         "hidet.ops.pad(hidet.randn([2, 3]), pads=[0, 1, 0, 2], mode='reflect')", define_pad},
    };
    return table;
}

} // namespace hidet::graph
