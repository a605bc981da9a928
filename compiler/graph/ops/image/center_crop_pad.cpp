// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_center_crop_pad(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const Shape wanted = call.attributes.get<Shape>("shape");
    Ints dimensions = call.attributes.get<Ints>("axes");
    if (dimensions.empty())
        for (std::size_t d = 0; d < x.shape.size(); ++d)
            dimensions.push_back(static_cast<std::int64_t>(d));
    if (wanted.size() != dimensions.size())
        throw OpError("center_crop_pad of " + text_of(x) + " wants " + std::to_string(dimensions.size()) +
                      " extents, not " + text_of(wanted));
    Shape shape = x.shape;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        shape[static_cast<std::size_t>(normalise_axis(dimensions[i], x.shape.size(), "axis"))] = wanted[i];
    TaskBuilder builder("center_crop_pad");
    const ir::VarRef picture = builder.input("x", x.dtype, x.shape);
    const ir::VarRef y = builder.compute("y", x.dtype, shape, [&](const Indices& axes) {
        Indices index;
        ir::ExprVec inside;
        for (std::size_t d = 0; d < axes.size(); ++d) {
            // Of an odd difference the smaller half is before: both halves are rounded towards zero.
            const Expr shift = ir::div(ir::sub(x.shape[d], shape[d]), dim(2));
            index.push_back(same_dim(x.shape[d], shape[d]) ? axes[d] : ir::add(axes[d], shift));
            if (!same_dim(x.shape[d], shape[d]))
                inside.push_back(is_inside(index[d], x.shape[d]));
        }
        const Expr value = at(picture, index);
        return inside.empty() ? value : ir::select(all_of(inside), value, number(0, x.dtype));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::CenterCropPad() {
    static const OpInfo info = {
        .id = OpId::CenterCropPad,
        .python = "center_crop_pad",
        .parameters = "x, shape: shape, axes: ints = []",
        .cls = OpClass::Transform,
        .summary = "the middle of a tensor in another shape, with zeros around it where that is larger",
        .example = "hidet.ops.center_crop_pad(hidet.randn([4, 5]), shape=[6, 3])",
        .define = define_center_crop_pad,
    };
    return info;
}

} // namespace hidet::graph
