// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// From -1 to 1 along a dimension: of the first and last elements, or of their outer edges.
Expr normalised(const Expr& position, const Dim& extent, bool align_corners, ir::DType dtype) {
    const Expr i = ir::cast_to(position, dtype);
    const Expr n = ir::cast_to(extent, dtype);
    if (!align_corners)
        return ir::sub(ir::div(ir::add(ir::mul(i, number(2, dtype)), number(1, dtype)), n), number(1, dtype));
    const Expr steps = ir::sub(n, number(1, dtype));
    const Expr is_single = ir::less_equal(steps, number(0, dtype));
    const Expr safe = ir::select(is_single, number(1, dtype), steps);
    return ir::select(is_single, number(0, dtype),
                      ir::sub(ir::div(ir::mul(i, number(2, dtype)), safe), number(1, dtype)));
}

Task define_affine_grid(const OpCall& call) {
    const TensorSpec& theta = call.inputs[0];
    const Shape size = call.attributes.get<Shape>("size");
    const bool align_corners = call.attributes.get<bool>("align_corners");
    const auto rank = static_cast<std::int64_t>(size.size()) - 2;
    if (rank < 1 || theta.shape.size() != 3)
        throw OpError("affine_grid of " + text_of(theta) + " cannot give a size of " + text_of(size));
    Shape shape = {size[0]};
    shape.insert(shape.end(), size.begin() + 2, size.end());
    shape.push_back(dim(rank));
    const ir::DType work = float_type_for(theta.dtype);
    TaskBuilder builder("affine_grid");
    const ir::VarRef matrix = builder.input("theta", theta.dtype, theta.shape);
    const ir::VarRef y = builder.compute("y", theta.dtype, shape, [&](const Indices& axes) {
        const auto entry = [&](std::int64_t column) {
            return ir::cast_to(at(matrix, {axes[0], axes.back(), dim(column)}), work);
        };
        Expr sum = entry(rank);
        for (std::int64_t column = 0; column < rank; ++column) {
            const auto d = static_cast<std::size_t>(rank - column); // the first coordinate is of the last dimension
            sum = ir::add(sum, ir::mul(entry(column), normalised(axes[d], shape[d], align_corners, work)));
        }
        return sum;
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::AffineGrid() {
    static const OpInfo info = {
        .id = OpId::AffineGrid,
        .python = "affine_grid",
        .parameters = "theta, size: shape, align_corners: bool = False",
        .cls = OpClass::Other,
        .summary = "the coordinates that affine matrices give to the elements of pictures of a size",
        .example = "hidet.ops.affine_grid(hidet.randn([1, 2, 3]), size=[1, 1, 4, 4])",
        .define = define_affine_grid,
    };
    return info;
}

} // namespace hidet::graph
