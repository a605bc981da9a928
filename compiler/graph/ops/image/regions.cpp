// SPDX-License-Identifier: Apache-2.0
// Pictures cut: into regions, windows that are columns, the middle.
#include <algorithm>

#include "compiler/graph/ops/contraction/window.h"
#include "compiler/graph/ops/image/sampling.h"
#include "compiler/ir/intrinsic.h"
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

// Each region has the number of its picture.
std::vector<Indexing> indexed_by_regions(const OpCall& call) {
    return {{.operand = 2, .extents = {call.inputs[0].shape[0]}, .is_from_end = false}};
}

Task define_roi_align(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& rois = call.inputs[1];
    if (x.shape.size() != 4 || rois.shape.size() != 2)
        throw OpError("roi_align wants pictures [n, c, h, w] and regions [count, 4], not ", text_of(x), " and ",
                      text_of(rois));
    const Attributes& given = call.attributes;
    const std::int64_t ratio = given.get<std::int64_t>("sampling_ratio");
    if (ratio < 0 || ratio > most_samples)
        throw OpError("roi_align takes up to ", most_samples, " samples of a bin, not ", ratio);
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
        throw OpError("roi_align wants one number of a picture for each region, not ", text_of(batches));
    builder.require_equal(batches.shape[0], rois.shape[0],
                          "roi_align wants one number of a picture for each region, not " + text_of(batches));
    const ir::VarRef picture = builder.input("x", x);
    alignment.rois = builder.input("rois", rois);
    const ir::VarRef batch = builder.input("batch_indices", call.inputs[2]);
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
    return builder.finish("y", x.dtype, shape, [&](const Indices& axes) {
        const auto [rows, columns] = sides(axes);
        const Expr count = ir::mul(rows.samples, columns.samples);
        const Expr value = at(combined, axes);
        if (!is_max)
            return ir::div(value, ir::cast_to(max_index(count, dim(1)), work));
        return ir::select(ir::less(dim(0), count), value, number(0, work));
    });
}

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
        throw OpError("max_roi_pool wants pictures [n, c, h, w], regions [count, 4] and two positive extents, not ",
                      text_of(x), ", ", text_of(rois), " and ", text_of(Attribute(pooled)));
    if (batches.shape.size() != 1 || !ir::is_integer(batches.dtype))
        throw OpError("max_roi_pool wants one number of a picture for each region, not ", text_of(batches));
    const double scale = call.attributes.get<double>("spatial_scale");
    const ir::DType real = float_type_for(rois.dtype);
    const Shape shape = {rois.shape[0], x.shape[1], dim(pooled[0]), dim(pooled[1])};
    TaskBuilder builder("max_roi_pool");
    builder.require_equal(rois.shape[1], dim(4), "max_roi_pool wants regions [count, 4], not " + text_of(rois));
    builder.require_equal(batches.shape[0], rois.shape[0],
                          "max_roi_pool wants one number of a picture for each region, not " + text_of(batches));
    const ir::VarRef picture = builder.input("x", x);
    const ir::VarRef regions = builder.input("rois", rois);
    const ir::VarRef batch = builder.input("batch_indices", batches);
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
    return builder.finish("y", x.dtype, shape, [&](const Indices& axes) {
        const Bin rows = bin(axes, 0);
        const Bin columns = bin(axes, 1);
        const Expr has_any = ir::logical_and(ir::less(rows.start, rows.end), ir::less(columns.start, columns.end));
        return ir::select(has_any, at(largest, axes), number(0, x.dtype));
    });
}

Task define_im2col(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    if (x.shape.size() < 3)
        throw OpError("im2col wants a tensor of at least 3 dimensions, not ", text_of(x));
    const std::size_t rank = x.shape.size() - 2;
    const Shape kernel = shape_of(per_dimension(call.attributes, "kernel_size", rank, 1, "im2col"));
    const Window window = window_of(call, "im2col", Shape(x.shape.begin() + 2, x.shape.end()), kernel);
    const Shape blocks = window.output();
    Shape columns = {x.shape[1]};
    columns.insert(columns.end(), kernel.begin(), kernel.end());
    const Shape shape = {x.shape[0], element_count(columns), element_count(blocks)};
    TaskBuilder builder("im2col");
    const ir::VarRef picture = builder.input("x", x);
    return builder.finish("y", x.dtype, shape, [&](const Indices& axes) {
        const Indices column = ir::unflatten(axes[1], columns);
        const Indices tap(column.begin() + 1, column.end());
        const Indices out = ir::unflatten(axes[2], blocks);
        Indices index = {axes[0], column[0]};
        for (std::size_t d = 0; d < rank; ++d)
            index.push_back(window.position(out, tap, d));
        const Expr value = at(picture, index);
        return window.is_padded() ? ir::select(window.is_inside(out, tap), value, number(0, x.dtype)) : value;
    });
}

Task define_col2im(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const Shape image = call.attributes.get<Shape>("image_shape");
    const std::size_t rank = image.size();
    if (x.shape.size() != 3 || rank == 0)
        throw OpError("col2im wants columns [n, channels times taps, windows], not ", text_of(x));
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
        throw OpError(operand, ": ", *rows, " rows are not whole blocks");
    const ir::VarRef columns = builder.input("x", x);
    // Every tap, where a window has that element at this tap.
    return builder.finish(
        {builder.reduce("y", x.dtype, shape, ReduceOp::Sum, block, [&](const Indices& axes, const Indices& tap) {
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
        })});
}

Task define_center_crop_pad(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const Shape wanted = call.attributes.get<Shape>("shape");
    Ints dimensions = call.attributes.get<Ints>("axes");
    if (dimensions.empty())
        dimensions = dims_from(0, x.shape.size());
    if (wanted.size() != dimensions.size())
        throw OpError("center_crop_pad of ", text_of(x), " wants ", dimensions.size(), " extents, not ",
                      text_of(wanted));
    Shape shape = x.shape;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        shape[static_cast<std::size_t>(normalise_axis(dimensions[i], x.shape.size(), "axis"))] = wanted[i];
    TaskBuilder builder("center_crop_pad");
    const ir::VarRef picture = builder.input("x", x);
    return builder.finish("y", x.dtype, shape, [&](const Indices& axes) {
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
}

} // namespace

std::span<const OpInfo> op_tables::regions() {
    static const OpInfo table[] = {
        {OpId::RoiAlign, "roi_align",
         "x, rois, batch_indices, output_height: int = 1, output_width: int = 1, sampling_ratio: int = 0, "
         "spatial_scale: float = 1.0, mode: str = 'avg', coordinate_transformation_mode: str = 'half_pixel'",
         OpClass::Other, "regions of pictures, sampled between the elements and pooled to one size",
         "hidet.ops.roi_align(hidet.randn([1, 2, 8, 8]), hidet.ones([2, 4]), hidet.zeros([2], dtype='int64'), "
         "output_height=2, output_width=2, sampling_ratio=2)",
         define_roi_align, indexed_by_regions},
        {OpId::MaxRoiPool, "max_roi_pool", "x, rois, batch_indices, pooled_shape: ints, spatial_scale: float = 1.0",
         OpClass::Other, "regions of pictures, cut into bins of which the largest elements are taken",
         "hidet.ops.max_roi_pool(hidet.randn([1, 2, 8, 8]), hidet.zeros([1, 4]), hidet.zeros([1], dtype='int64'), "
         "pooled_shape=[2, 2])",
         define_max_roi_pool, indexed_by_regions},
        {OpId::Im2Col, "im2col", "x, kernel_size: ints, dilations: ints = [1], padding: ints = [0], stride: ints = [1]",
         OpClass::Transform, "the windows of pictures as columns: [n, channels times taps, windows]",
         "hidet.ops.im2col(hidet.randn([1, 2, 4, 4]), kernel_size=[2, 2])", define_im2col},
        {OpId::Col2Im, "col2im",
         "x, image_shape: shape, block_shape: ints, dilations: ints = [1], padding: ints = [0], stride: ints = [1]",
         OpClass::Reduction, "pictures whose windows are the columns of a tensor; what overlaps is added",
         "hidet.ops.col2im(hidet.randn([1, 8, 4]), image_shape=[3, 3], block_shape=[2, 2])", define_col2im},
        {OpId::CenterCropPad, "center_crop_pad", "x, shape: shape, axes: ints = []", OpClass::Transform,
         "the middle of a tensor in another shape, with zeros around it where that is larger",
         "hidet.ops.center_crop_pad(hidet.randn([4, 5]), shape=[6, 3])", define_center_crop_pad},
    };
    return table;
}

} // namespace hidet::graph
