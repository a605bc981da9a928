// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/window.h"
#include "compiler/graph/ops/image/sampling.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

struct Groups {
    std::int64_t channels = 1;
    std::int64_t offsets = 1;
};

Groups checked_groups(const OpCall& call) {
    for (const TensorSpec& each : call.inputs)
        if (each.shape.size() != 4)
            throw OpError("deform_conv wants tensors of two spatial dimensions, not " + text_of(each));
    const Groups groups{call.attributes.get<std::int64_t>("groups"), call.attributes.get<std::int64_t>("offset_group")};
    if (groups.channels < 1 || groups.offsets < 1)
        throw OpError("deform_conv wants positive numbers of groups, not " + std::to_string(groups.channels) + " and " +
                      std::to_string(groups.offsets));
    const auto divide = [&](const Dim& channels, std::int64_t count) {
        if (const auto known = constant_of(channels); known && *known % count != 0)
            throw OpError("deform_conv: " + std::to_string(*known) + " channels do not form " + std::to_string(count) +
                          " groups");
    };
    divide(call.inputs[0].shape[1], groups.channels);
    divide(call.inputs[0].shape[1], groups.offsets);
    divide(call.inputs[1].shape[0], groups.channels);
    return groups;
}

void require_shape(TaskBuilder& builder, const TensorSpec& given, const Shape& wanted, const char* what) {
    for (std::size_t d = 0; d < wanted.size(); ++d)
        builder.require_equal(given.shape[d], simplified(wanted[d]),
                              std::string("deform_conv wants ") + what + " of shape " + text_of(wanted) + ", not " +
                                  text_of(given));
}

// Inputs: x, w, offset [n, groups times taps times 2, h, w] and, if it is given, mask [n, groups times taps, h, w].
Task define_deform_conv(const OpCall& call) {
    const auto [groups, offset_groups] = checked_groups(call);
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& w = call.inputs[1];
    const TensorSpec& offset = call.inputs[2];
    const Window window = window_of(call, "deform_conv", Shape(x.shape.begin() + 2, x.shape.end()),
                                    Shape(w.shape.begin() + 2, w.shape.end()));
    Shape shape = {x.shape[0], w.shape[0]};
    for (const Dim& each : window.output())
        shape.push_back(each);
    const ir::DType work = float_type_for(x.dtype);
    TaskBuilder builder("deform_conv");
    const ir::VarRef picture = builder.input("x", x.dtype, x.shape);
    const ir::VarRef weight = builder.input("w", w.dtype, w.shape);
    const ir::VarRef shifts = builder.input("offset", offset.dtype, offset.shape);
    const ir::VarRef mask =
        call.inputs.size() > 3 ? builder.input("mask", call.inputs[3].dtype, call.inputs[3].shape) : nullptr;
    const Dim taps = element_count(window.kernel);
    const Dim places = ir::mul(taps, dim(offset_groups));
    builder.require_equal(x.shape[1], simplified(ir::mul(w.shape[1], dim(groups))),
                          "deform_conv: the weight " + text_of(w) + " does not have the channels of " + text_of(x));
    require_shape(builder, offset, {shape[0], ir::mul(places, dim(2)), shape[2], shape[3]}, "offsets");
    if (mask)
        require_shape(builder, call.inputs[3], {shape[0], places, shape[2], shape[3]}, "a mask");
    const Dim per_offset_group = simplified(ir::floor_div(x.shape[1], dim(offset_groups)));
    const ir::VarRef y = builder.reduce(
        "y", x.dtype, shape, ReduceOp::Sum, {w.shape[1], window.kernel[0], window.kernel[1], dim(2), dim(2)},
        [&](const Indices& axes, const Indices& over) {
            const Expr group = ir::floor_div(axes[1], ir::floor_div(w.shape[0], dim(groups)));
            const Expr channel = ir::add(ir::mul(group, w.shape[1]), over[0]);
            const Indices out = {axes[2], axes[3]};
            const Indices tap = {over[1], over[2]};
            const Expr place =
                ir::add(ir::mul(ir::floor_div(channel, per_offset_group), taps), ir::flatten(tap, window.kernel));
            Expr share = ir::cast_to(at(weight, {axes[1], over[0], tap[0], tap[1]}), work);
            Indices index = {axes[0], channel};
            ir::ExprVec inside;
            for (std::size_t d = 0; d < 2; ++d) {
                const Expr row = ir::add(ir::mul(place, dim(2)), dim(static_cast<std::int64_t>(d)));
                const Expr shift = ir::cast_to(at(shifts, {axes[0], row, axes[2], axes[3]}), work);
                const Expr c = ir::add(ir::cast_to(window.position(out, tap, d), work), shift);
                share = ir::mul(share, linear_weight(c, over[d + 3]));
                index.push_back(linear_index(c, over[d + 3]));
                inside.push_back(is_inside(index.back(), x.shape[d + 2]));
            }
            if (mask)
                share = ir::mul(share, ir::cast_to(at(mask, {axes[0], place, axes[2], axes[3]}), work));
            const Expr element = ir::select(all_of(inside), at(picture, index), number(0, x.dtype));
            return ir::mul(share, ir::cast_to(element, work));
        });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::DeformConv() {
    static const OpInfo info = {
        .id = OpId::DeformConv,
        .python = "deform_conv",
        .parameters = "x, w, offset, mask: tensor = None, stride: ints = [1], padding: ints = [0], "
                      "dilations: ints = [1], groups: int = 1, offset_group: int = 1",
        .cls = OpClass::Contraction,
        .summary = "the convolution whose taps are moved by offsets and weighted by a mask",
        .example = "hidet.ops.deform_conv(hidet.randn([1, 1, 3, 3]), hidet.randn([1, 1, 2, 2]), "
                   "hidet.zeros([1, 8, 2, 2]))",
        .define = define_deform_conv,
    };
    return info;
}

} // namespace hidet::graph
