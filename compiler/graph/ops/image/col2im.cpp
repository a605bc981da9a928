// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/ops/contraction/window.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_col2im(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const Shape image = call.attributes.get<Shape>("image_shape");
    const std::size_t rank = image.size();
    if (x.shape.size() != 3 || rank == 0)
        throw OpError("col2im wants columns [n, channels times taps, windows], not " + text_of(x));
    const Ints taps = per_dimension(call.attributes, "block_shape", rank, 1, "col2im");
    if (std::ranges::any_of(taps, [](std::int64_t each) { return each < 1; }))
        throw OpError("col2im wants positive extents of blocks");
    const Shape block = shape_of(taps);
    const Window window = window_of(call, "col2im", image, block);
    const Shape blocks = window.output();
    Shape shape = {x.shape[0], simplified(ir::floor_div(x.shape[1], element_count(block)))};
    shape.insert(shape.end(), image.begin(), image.end());
    TaskBuilder builder("col2im");
    const std::string operand = "col2im of " + text_of(x) + " to " + text_of(image) + " by " + text_of(block);
    builder.require_equal(x.shape[2], element_count(blocks), operand + " wants " + text_of(blocks) + " windows");
    if (const auto rows = constant_of(x.shape[1]); rows && *rows % *constant_of(element_count(block)) != 0)
        throw OpError(operand + ": " + std::to_string(*rows) + " rows are not whole blocks");
    const ir::VarRef columns = builder.input("x", x.dtype, x.shape);
    // Every tap, where a window has that element at this tap.
    const ir::VarRef y =
        builder.reduce("y", x.dtype, shape, ReduceOp::Sum, block, [&](const Indices& axes, const Indices& tap) {
            ir::ExprVec conditions;
            Indices positions;
            for (std::size_t d = 0; d < rank; ++d) {
                const Expr offset =
                    ir::sub(ir::add(axes[d + 2], dim(window.begins[d])), ir::mul(tap[d], dim(window.dilations[d])));
                const Expr position = ir::floor_div(offset, dim(window.strides[d]));
                if (window.strides[d] > 1)
                    conditions.push_back(ir::equal(ir::floor_mod(offset, dim(window.strides[d])), dim(0)));
                conditions.push_back(is_inside(position, blocks[d]));
                positions.push_back(position);
            }
            const Expr row = ir::add(ir::mul(axes[1], element_count(block)), ir::flatten(tap, block));
            return ir::select(all_of(conditions), at(columns, {axes[0], row, ir::flatten(positions, blocks)}),
                              number(0, x.dtype));
        });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::Col2Im() {
    static const OpInfo info = {
        .id = OpId::Col2Im,
        .python = "col2im",
        .parameters = "x, image_shape: shape, block_shape: ints, dilations: ints = [1], padding: ints = [0], "
                      "stride: ints = [1]",
        .cls = OpClass::Reduction,
        .summary = "pictures whose windows are the columns of a tensor; what overlaps is added",
        .example = "hidet.ops.col2im(hidet.randn([1, 8, 4]), image_shape=[3, 3], block_shape=[2, 2])",
        .define = define_col2im,
    };
    return info;
}

} // namespace hidet::graph
