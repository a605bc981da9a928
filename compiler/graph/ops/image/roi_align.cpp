// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/image/sampling.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// In a bin along one dimension: more than one for each element of any picture, so that no region takes for ever.
constexpr std::int64_t most_samples = 1 << 14;

// Along one dimension, in the type of the regions.
struct Side {
    Dim extent;   // of the picture
    Dim pooled;   // of the result
    Expr start;   // of the region
    Expr bin;     // extent of a bin
    Expr samples; // in a bin, i64
    ir::DType real = ir::DType::F32;

    Expr coordinate(const Expr& position, const Expr& sample) const {
        const Expr offset =
            ir::div(ir::mul(ir::add(ir::cast_to(sample, real), number(0.5, real)), bin), ir::cast_to(samples, real));
        return ir::add(ir::add(start, ir::mul(ir::cast_to(position, real), bin)), offset);
    }
    Expr is_near(const Expr& c) const { // not more than one element away from the picture
        return ir::logical_and(ir::less_equal(number(-1, real), c), ir::less_equal(c, ir::cast_to(extent, real)));
    }
    Expr clamped(const Expr& c) const {
        const Expr last = ir::cast_to(ir::sub(extent, dim(1)), real);
        const Expr from_zero = ir::select(ir::less(c, number(0, real)), number(0, real), c);
        return ir::select(ir::less(last, from_zero), last, from_zero);
    }
};

struct RoiAlignment {
    const TensorSpec& x;
    ir::VarRef rois;
    double scale;
    double offset;
    bool at_least_one;
    std::int64_t sampling_ratio;
    ir::DType real;

    Side side(const Expr& roi, std::size_t d, const Dim& pooled) const { // d: 0 for rows
        const auto corner = [&](std::int64_t column) {
            return ir::sub(ir::mul(ir::cast_to(at(rois, {roi, dim(column)}), real), number(scale, real)),
                           number(offset, real));
        };
        Side side;
        side.extent = x.shape[d + 2];
        side.pooled = pooled;
        side.real = real;
        side.start = corner(d == 0 ? 1 : 0);
        Expr length = ir::sub(corner(d == 0 ? 3 : 2), side.start);
        if (at_least_one)
            length = ir::select(ir::less(length, number(1, real)), number(1, real), length);
        side.bin = ir::div(length, ir::cast_to(pooled, real));
        side.samples = sampling_ratio > 0
                           ? dim(sampling_ratio)
                           : min_index(ir::cast_to(ceil_of(side.bin), ir::DType::I64), dim(most_samples));
        return side;
    }
};

Task define_roi_align(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& rois = call.inputs[1];
    if (x.shape.size() != 4 || rois.shape.size() != 2)
        throw OpError("roi_align wants pictures [n, c, h, w] and regions [count, 4], not " + text_of(x) + " and " +
                      text_of(rois));
    const Attributes& given = call.attributes;
    const std::int64_t ratio = given.get<std::int64_t>("sampling_ratio");
    if (ratio < 0 || ratio > most_samples)
        throw OpError("roi_align takes up to " + std::to_string(most_samples) + " samples of a bin, not " +
                      std::to_string(ratio));
    const std::string transformation = given.get<std::string>("coordinate_transformation_mode");
    const bool is_max = given.get<std::string>("mode") == "max";
    RoiAlignment alignment{.x = x,
                           .rois = nullptr,
                           .scale = given.get<double>("spatial_scale"),
                           .offset = transformation == "half_pixel" ? 0.5 : 0.0,
                           .at_least_one = transformation != "half_pixel",
                           .sampling_ratio = ratio,
                           .real = float_type_for(rois.dtype)};
    const Dim height = dim(given.get<std::int64_t>("output_height"));
    const Dim width = dim(given.get<std::int64_t>("output_width"));
    const Shape shape = {rois.shape[0], x.shape[1], height, width};
    const ir::DType work = float_type_for(x.dtype);
    TaskBuilder builder("roi_align");
    const TensorSpec& batches = call.inputs[2];
    builder.require_equal(rois.shape[1], dim(4), "roi_align wants regions [count, 4], not " + text_of(rois));
    if (batches.shape.size() != 1)
        throw OpError("roi_align wants one number of a picture for each region, not " + text_of(batches));
    builder.require_equal(batches.shape[0], rois.shape[0],
                          "roi_align wants one number of a picture for each region, not " + text_of(batches));
    const ir::VarRef picture = builder.input("x", x.dtype, x.shape);
    alignment.rois = builder.input("rois", rois.dtype, rois.shape);
    const ir::VarRef batch = builder.input("batch_indices", call.inputs[2].dtype, call.inputs[2].shape);
    const auto sides = [&](const Indices& axes) {
        return std::pair(alignment.side(axes[0], 0, height), alignment.side(axes[0], 1, width));
    };
    // Over samples and, of each, the four elements around it.
    const ir::VarRef combined = builder.reduce_ragged(
        "combined", work, shape, is_max ? ReduceOp::Max : ReduceOp::Sum,
        [&](const Indices& axes) {
            const auto [rows, columns] = sides(axes);
            return ir::ExprVec{rows.samples, columns.samples, dim(2), dim(2)};
        },
        [&](const Indices& axes, const Indices& over) {
            const auto [rows, columns] = sides(axes);
            const Expr y = rows.coordinate(axes[2], over[0]);
            const Expr z = columns.coordinate(axes[3], over[1]);
            const Expr cy = rows.clamped(y);
            const Expr cz = columns.clamped(z);
            const Expr weight = ir::mul(linear_weight(cy, over[2]), linear_weight(cz, over[3]));
            const Expr element =
                at(picture, {clamped_index(ir::cast_to(at(batch, {axes[0]}), ir::DType::I64), x.shape[0]), axes[1],
                             clamped_index(linear_index(cy, over[2]), x.shape[2]),
                             clamped_index(linear_index(cz, over[3]), x.shape[3])});
            return ir::select(ir::logical_and(rows.is_near(y), columns.is_near(z)),
                              ir::mul(ir::cast_to(weight, work), ir::cast_to(element, work)), number(0, work));
        });
    const ir::VarRef result = builder.compute("y", x.dtype, shape, [&](const Indices& axes) {
        const auto [rows, columns] = sides(axes);
        const Expr count = ir::mul(rows.samples, columns.samples);
        const Expr value = at(combined, axes);
        if (!is_max)
            return ir::div(value, ir::cast_to(max_index(count, dim(1)), work));
        return ir::select(ir::less(dim(0), count), value, number(0, work));
    });
    return builder.finish({result});
}

} // namespace

const OpInfo& op_info::RoiAlign() {
    static const OpInfo info = {
        .id = OpId::RoiAlign,
        .python = "roi_align",
        .parameters = "x, rois, batch_indices, output_height: int = 1, output_width: int = 1, sampling_ratio: int = 0, "
                      "spatial_scale: float = 1.0, mode: str = 'avg', "
                      "coordinate_transformation_mode: str = 'half_pixel'",
        .cls = OpClass::Other,
        .summary = "regions of pictures, sampled between the elements and pooled to one size",
        .example = "hidet.ops.roi_align(hidet.randn([1, 2, 8, 8]), hidet.ones([2, 4]), "
                   "hidet.zeros([2], dtype='int64'), output_height=2, output_width=2, sampling_ratio=2)",
        .define = define_roi_align,
        .indexes = [](const OpCall& call) -> std::vector<Indexing> {
            return {{.operand = 2, .extents = {call.inputs[0].shape[0]}, .is_from_end = false}};
        },
    };
    return info;
}

} // namespace hidet::graph
