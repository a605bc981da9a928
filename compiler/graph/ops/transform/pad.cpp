// SPDX-License-Identifier: Apache-2.0
// Padding of all modes. A negative pad cuts; what is left is then padded by the positive ones.
#include <algorithm>

#include "compiler/graph/ops/elementwise/values.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;
using Math = ir::IntrinsicId;

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

// One before and one after each dimension. Fewer are those of the last dimensions.
Shape pads_of(const OpCall& call) {
    const Shape& shape = call.inputs[0].shape;
    const Shape given = dims_attribute(call, "pads");
    if (given.size() > 2 * shape.size() || given.size() % 2 != 0)
        throw OpError("pad: " + std::to_string(given.size()) + " pads for a tensor of shape " + text_of(shape));
    const auto middle = given.begin() + static_cast<std::ptrdiff_t>(given.size() / 2);
    Shape pads(shape.size() - given.size() / 2, dim(0));
    pads.insert(pads.end(), given.begin(), middle);
    pads.resize(2 * shape.size() - given.size() / 2, dim(0));
    pads.insert(pads.end(), middle, given.end());
    return pads;
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
        throw OpError("pad has the modes constant, reflect, edge and wrap, not '" + mode + "'");
    const auto [dtype, from] = call.inputs[0];
    TaskBuilder builder("pad");
    const ir::VarRef x = builder.input("x", dtype, from);
    const ir::VarRef fill =
        call.inputs.size() > 1 ? builder.input("fill", call.inputs[1].dtype, call.inputs[1].shape) : nullptr;
    const std::vector<PaddedDim> dims = padded_dims(call, builder);
    Shape shape;
    for (const PaddedDim& d : dims) {
        shape.push_back(d.padded);
        if (!is_constant && d.is_padded)
            builder.require(ir::less(dim(0), d.extent), "pad: nothing to " + mode + " in shape " + text_of(from));
    }
    const Attribute* value = call.attributes.find("value");
    const ExprRef constant = ir::cast_to(value ? scalar_operand(*value, dtype) : ir::int_constant(0), dtype);
    const ir::VarRef y = builder.compute("pad", dtype, shape, [&](const Indices& axes) {
        Indices index;
        ExprRef is_inside = ir::bool_constant(true);
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const ExprRef place = ir::sub(axes[i], dims[i].before);
            const bool moves = !is_constant && dims[i].is_padded;
            index.push_back(ir::add(moves ? source(mode, place, dims[i].extent) : place, dims[i].cut));
            if (is_constant && dims[i].is_padded)
                is_inside = ir::logical_and(is_inside, in_range(place, dim(0), dims[i].extent));
        }
        const ExprRef outside =
            fill ? ir::cast_to(at(fill, Indices(call.inputs[1].shape.size(), dim(0))), dtype) : constant;
        return guarded_read(x, index, is_inside, outside);
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::Pad() {
    static const OpInfo info = {
        .id = OpId::Pad,
        .python = "pad",
        .parameters = "data, pads: shape, mode: str = 'constant', value: number = 0, fill: tensor = None",
        .cls = OpClass::Transform,
        .summary = "data with pads[i] elements more before dimension i and pads[rank + i] after it (fewer pads: of the "
                   "last dimensions): `value` (or the one "
                   "element of fill), or those of x by reflect, edge or wrap; negative pads cut",
        .example = "hidet.ops.pad(hidet.randn([2, 3]), pads=[0, 1, 0, 2], mode='reflect')",
        .define = define_pad,
    };
    return info;
}

} // namespace hidet::graph
