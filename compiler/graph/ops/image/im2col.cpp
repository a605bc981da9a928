// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/window.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_im2col(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    if (x.shape.size() < 3)
        throw OpError("im2col wants a tensor of at least 3 dimensions, not " + text_of(x));
    const std::size_t rank = x.shape.size() - 2;
    const Shape kernel = shape_of(per_dimension(call.attributes, "kernel_size", rank, 1, "im2col"));
    const Window window = window_of(call, "im2col", Shape(x.shape.begin() + 2, x.shape.end()), kernel);
    const Shape blocks = window.output();
    Shape columns = {x.shape[1]};
    columns.insert(columns.end(), kernel.begin(), kernel.end());
    const Shape shape = {x.shape[0], element_count(columns), element_count(blocks)};
    TaskBuilder builder("im2col");
    const ir::VarRef picture = builder.input("x", x.dtype, x.shape);
    const ir::VarRef y = builder.compute("y", x.dtype, shape, [&](const Indices& axes) {
        const Indices column = ir::unflatten(axes[1], columns);
        const Indices tap(column.begin() + 1, column.end());
        const Indices out = ir::unflatten(axes[2], blocks);
        Indices index = {axes[0], column[0]};
        for (std::size_t d = 0; d < rank; ++d)
            index.push_back(window.position(out, tap, d));
        const Expr value = at(picture, index);
        return window.is_padded() ? ir::select(window.is_inside(out, tap), value, number(0, x.dtype)) : value;
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::Im2Col() {
    static const OpInfo info = {
        .id = OpId::Im2Col,
        .python = "im2col",
        .parameters = "x, kernel_size: ints, dilations: ints = [1], padding: ints = [0], stride: ints = [1]",
        .cls = OpClass::Transform,
        .summary = "the windows of pictures as columns: [n, channels times taps, windows]",
        .example = "hidet.ops.im2col(hidet.randn([1, 2, 4, 4]), kernel_size=[2, 2])",
        .define = define_im2col,
    };
    return info;
}

} // namespace hidet::graph
