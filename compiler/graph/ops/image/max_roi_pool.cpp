// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Where a bin begins and ends along one dimension of the picture.
struct Bin {
    Expr start;
    Expr end;
};

Task define_max_roi_pool(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& rois = call.inputs[1];
    const TensorSpec& batches = call.inputs[2];
    const Ints pooled = call.attributes.get<Ints>("pooled_shape");
    if (x.shape.size() != 4 || rois.shape.size() != 2 || pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
        throw OpError("max_roi_pool wants pictures [n, c, h, w], regions [count, 4] and two positive extents, not " +
                      text_of(x) + ", " + text_of(rois) + " and " + text_of(Attribute(pooled)));
    if (batches.shape.size() != 1 || !ir::is_integer(batches.dtype))
        throw OpError("max_roi_pool wants one number of a picture for each region, not " + text_of(batches));
    const double scale = call.attributes.get<double>("spatial_scale");
    const ir::DType real = float_type_for(rois.dtype);
    const Shape shape = {rois.shape[0], x.shape[1], dim(pooled[0]), dim(pooled[1])};
    TaskBuilder builder("max_roi_pool");
    builder.require_equal(rois.shape[1], dim(4), "max_roi_pool wants regions [count, 4], not " + text_of(rois));
    builder.require_equal(batches.shape[0], rois.shape[0],
                          "max_roi_pool wants one number of a picture for each region, not " + text_of(batches));
    const ir::VarRef picture = builder.input("x", x.dtype, x.shape);
    const ir::VarRef regions = builder.input("rois", rois.dtype, rois.shape);
    const ir::VarRef batch = builder.input("batch_indices", batches.dtype, batches.shape);
    const auto column = [&](const Indices& axes, std::int64_t c) {
        return ir::cast_to(at(regions, {axes[0], dim(c)}), real);
    };
    const auto whole = [](const Expr& value) { return ir::cast_to(value, ir::DType::I64); };
    const auto corner = [&](const Indices& axes, std::int64_t c) {
        return whole(ir::math(ir::IntrinsicId::Round, {ir::mul(column(axes, c), number(scale, real))}));
    };
    const auto bin = [&](const Indices& axes, std::size_t d) {
        const Expr first = corner(axes, d == 0 ? 1 : 0);
        const Expr length = max_index(ir::add(ir::sub(corner(axes, d == 0 ? 3 : 2), first), dim(1)), dim(1));
        const Expr size = ir::div(ir::cast_to(length, real), number(static_cast<double>(pooled[d]), real));
        const auto edge = [&](const Expr& value) {
            return max_index(dim(0), min_index(ir::add(whole(value), first), x.shape[d + 2]));
        };
        const Expr position = ir::cast_to(axes[d + 2], real);
        return Bin{edge(floor_of(ir::mul(position, size))),
                   edge(ceil_of(ir::mul(ir::add(position, number(1, real)), size)))};
    };
    const ir::VarRef largest = builder.reduce_ragged(
        "largest", x.dtype, shape, ReduceOp::Max,
        [&](const Indices& axes) {
            const Bin rows = bin(axes, 0);
            const Bin columns = bin(axes, 1);
            return ir::ExprVec{ir::sub(rows.end, rows.start), ir::sub(columns.end, columns.start)};
        },
        [&](const Indices& axes, const Indices& over) {
            return at(picture, {clamped_index(whole(at(batch, {axes[0]})), x.shape[0]), axes[1],
                                ir::add(bin(axes, 0).start, over[0]), ir::add(bin(axes, 1).start, over[1])});
        });
    const ir::VarRef y = builder.compute("y", x.dtype, shape, [&](const Indices& axes) {
        const Bin rows = bin(axes, 0);
        const Bin columns = bin(axes, 1);
        const Expr has_any = ir::logical_and(ir::less(rows.start, rows.end), ir::less(columns.start, columns.end));
        return ir::select(has_any, at(largest, axes), number(0, x.dtype));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::MaxRoiPool() {
    static const OpInfo info = {
        .id = OpId::MaxRoiPool,
        .python = "max_roi_pool",
        .parameters = "x, rois, batch_indices, pooled_shape: ints, spatial_scale: float = 1.0",
        .cls = OpClass::Other,
        .summary = "regions of pictures, cut into bins of which the largest elements are taken",
        .example = "hidet.ops.max_roi_pool(hidet.randn([1, 2, 8, 8]), hidet.zeros([1, 4]), "
                   "hidet.zeros([1], dtype='int64'), pooled_shape=[2, 2])",
        .define = define_max_roi_pool,
        .indexes = [](const OpCall& call) -> std::vector<Indexing> {
            return {{.operand = 2, .extents = {call.inputs[0].shape[0]}, .is_from_end = false}};
        },
    };
    return info;
}

} // namespace hidet::graph
