// SPDX-License-Identifier: Apache-2.0
// Pools for any number of spatial dimensions. Attributes: kernel (empty: the whole of each dimension), stride, padding,
// dilations, ceil_mode (contraction/window.h); of means also count_include_pad (bool) and divisor_override (int; 0: none);
// adaptive pools: output_size.
#include "compiler/graph/ops/contraction/window.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Where the spatial dimensions of a pooled tensor are, and the window over them. Rank 0: as many as the input has.
struct PoolShape {
    PoolShape(const OpCall& call, std::size_t wanted, ChannelOrder order)
        : name(call.op->python), x(call.inputs[0]), rank(wanted), first(order == ChannelOrder::First ? 2 : 1) {
        if (rank == 0)
            rank = std::max<std::size_t>(x.shape.size(), 3) - 2;
        if (x.shape.size() != rank + 2)
            throw OpError(name, " wants a tensor of ", rank + 2, " dimensions, not ", text_of(x));
    }
    Indices spatial(const Indices& index) const {
        const auto begin = index.begin() + static_cast<std::ptrdiff_t>(first);
        return {begin, begin + static_cast<std::ptrdiff_t>(rank)};
    }
    Indices with_spatial(const Indices& index, const Indices& positions) const {
        Indices result = index;
        for (std::size_t d = 0; d < rank; ++d)
            result[first + d] = positions[d];
        return result;
    }
    Window window(const OpCall& call) const { // OpError without a kernel that fits
        const Shape extents = spatial(x.shape);
        Shape kernel = extents;
        if (const Ints given = list_attribute(call.attributes, "kernel"); !given.empty()) {
            const Ints sizes = per_dimension(call.attributes, "kernel", rank, 1, name);
            for (std::int64_t size : sizes)
                if (size < 1)
                    throw OpError(name, " wants a positive kernel, not ", text_of(Attribute(sizes)));
            kernel = shape_of(sizes);
        }
        Window window = window_of(call, name, extents, std::move(kernel));
        window.ceil_mode = call.attributes.get<bool>("ceil_mode");
        return window;
    }

    std::string name;
    const TensorSpec& x;
    std::size_t rank;
    std::size_t first; // spatial dimension
};

Indices positions_of(const Window& window, const Indices& out, const Indices& tap) {
    Indices positions;
    for (std::size_t d = 0; d < window.rank; ++d)
        positions.push_back(window.position(out, tap, d));
    return positions;
}

// x at the tap, or `otherwise` in the padding.
Expr element(const PoolShape& pool, const Window& window, const ir::VarRef& x, const Indices& axes, const Indices& tap,
             const Expr& otherwise) {
    const Indices out = pool.spatial(axes);
    const Expr value = at(x, pool.with_spatial(axes, positions_of(window, out, tap)));
    return window.is_padded() ? ir::select(window.is_inside(out, tap), value, otherwise) : value;
}

Expr divided(const Expr& sum, const Expr& count) {
    const ir::DType dtype = *ir::scalar_of(sum->type);
    return ir::is_float(dtype) ? ir::div(sum, ir::cast_to(count, dtype)) : ir::div(sum, max_index(count, dim(1)));
}

ir::DType work_of(ir::DType dtype) {
    return ir::is_float(dtype) ? accumulator_of(dtype) : ir::DType::I64;
}

struct AdaptiveWindow {
    AdaptiveWindow(const OpCall& call, const PoolShape& pool) : extents(pool.spatial(pool.x.shape)) {
        const Ints size = per_dimension(call.attributes, "output_size", pool.rank, 1, pool.name);
        for (std::int64_t extent : size)
            if (extent < 1)
                throw OpError(pool.name, " wants a positive output size, not ", text_of(Attribute(size)));
        output = shape_of(size);
        shape = pool.with_spatial(pool.x.shape, output);
    }
    Expr start(const Indices& out, std::size_t d) const {
        return ir::floor_div(ir::mul(out[d], extents[d]), output[d]);
    }
    ir::ExprVec lengths(const Indices& out) const {
        ir::ExprVec lengths;
        for (std::size_t d = 0; d < output.size(); ++d) {
            const Expr end = ceil_div(ir::mul(ir::add(out[d], dim(1)), extents[d]), output[d]);
            lengths.push_back(ir::sub(end, start(out, d)));
        }
        return lengths;
    }
    Indices positions(const Indices& out, const Indices& tap) const {
        Indices positions;
        for (std::size_t d = 0; d < output.size(); ++d)
            positions.push_back(ir::add(start(out, d), tap[d]));
        return positions;
    }
    Shape extents;
    Shape output;
    Shape shape; // of the result
};

ir::VarRef adaptive_reduction(TaskBuilder& builder, const PoolShape& pool, const AdaptiveWindow& window,
                              const std::string& stage, ir::DType dtype, ReduceOp op) {
    const ir::VarRef x = builder.input("x", pool.x);
    return builder.reduce_ragged(
        stage, dtype, window.shape, op, [&](const Indices& axes) { return window.lengths(pool.spatial(axes)); },
        [&](const Indices& axes, const Indices& tap) {
            return at(x, pool.with_spatial(axes, window.positions(pool.spatial(axes), tap)));
        });
}

Task define_max_pool(const OpCall& call, std::size_t rank, ChannelOrder order) {
    const PoolShape pool(call, rank, order);
    const Window window = pool.window(call);
    TaskBuilder builder(pool.name);
    const ir::VarRef x = builder.input("x", pool.x);
    return builder.finish({builder.reduce("y", pool.x.dtype, pool.with_spatial(pool.x.shape, window.output()),
                                          ReduceOp::Max, window.kernel, [&](const Indices& axes, const Indices& tap) {
                                              return element(pool, window, x, axes, tap, lowest_of(pool.x.dtype));
                                          })});
}

Task define_avg_pool(const OpCall& call, std::size_t rank, ChannelOrder order) {
    const PoolShape pool(call, rank, order);
    const Window window = pool.window(call);
    const Taps counted = call.attributes.get<bool>("count_include_pad") ? Taps::InPaddedInput : Taps::InInput;
    const std::int64_t divisor = call.attributes.get<std::int64_t>("divisor_override");
    const Shape shape = pool.with_spatial(pool.x.shape, window.output());
    const ir::DType work = work_of(pool.x.dtype);
    TaskBuilder builder(pool.name);
    const ir::VarRef x = builder.input("x", pool.x);
    const ir::VarRef sum =
        builder.reduce("sum", work, shape, ReduceOp::Sum, window.kernel, [&](const Indices& axes, const Indices& tap) {
            return element(pool, window, x, axes, tap, number(0, pool.x.dtype));
        });
    return builder.finish("y", pool.x.dtype, shape, [&](const Indices& axes) {
        const Expr count = divisor != 0 ? dim(divisor) : window.tap_count(pool.spatial(axes), counted);
        return divided(at(sum, axes), count);
    });
}

Task define_adaptive_avg_pool(const OpCall& call, std::size_t rank, ChannelOrder order) {
    const PoolShape pool(call, rank, order);
    const AdaptiveWindow window(call, pool);
    TaskBuilder builder(pool.name);
    const ir::VarRef sum = adaptive_reduction(builder, pool, window, "sum", work_of(pool.x.dtype), ReduceOp::Sum);
    return builder.finish("y", pool.x.dtype, window.shape, [&](const Indices& axes) {
        return divided(at(sum, axes), element_count(window.lengths(pool.spatial(axes))));
    });
}

Task define_adaptive_max_pool(const OpCall& call, std::size_t rank, ChannelOrder order) {
    const PoolShape pool(call, rank, order);
    const AdaptiveWindow window(call, pool);
    TaskBuilder builder(pool.name);
    const ir::VarRef y = adaptive_reduction(builder, pool, window, "y", pool.x.dtype, ReduceOp::Max);
    return builder.finish({y});
}

// Taps in the padding are moved to the nearest one in the input, which is a tap of the same window: the largest of them is
// the same, and its place is one of the input also where nothing is larger than minus infinity.
Indices positions_inside(const Window& window, const Indices& out, const Indices& tap) {
    Indices positions;
    for (std::size_t d = 0; d < window.rank; ++d) {
        Expr inner = tap[d];
        if (window.is_padded())
            inner = max_index(window.first_tap(out, d), min_index(inner, window.last_tap(out, d)));
        const Expr position = ir::add(window.start(out, d), ir::mul(inner, dim(window.dilations[d])));
        positions.push_back(window.is_padded() ? clamped_index(position, window.extents[d]) : position);
    }
    return positions;
}

// In the whole tensor; with a storage order of 1 the last spatial dimension is the slowest one.
Expr flat_index(const PoolShape& pool, const Indices& axes, const Indices& positions, bool is_column_major) {
    const Shape extents = pool.spatial(pool.x.shape);
    Expr inner = dim(0);
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::size_t d = is_column_major ? extents.size() - 1 - i : i;
        inner = ir::add(ir::mul(inner, extents[d]), positions[d]);
    }
    const Expr plane = ir::add(ir::mul(axes[0], pool.x.shape[1]), axes[1]);
    return ir::add(ir::mul(plane, element_count(extents)), inner);
}

Task define_max_pool_with_indices(const OpCall& call) {
    const PoolShape pool(call, 0, ChannelOrder::First);
    const Window window = pool.window(call);
    const bool is_column_major = call.attributes.get<std::int64_t>("storage_order") != 0;
    const Shape shape = pool.with_spatial(pool.x.shape, window.output());
    TaskBuilder builder(pool.name);
    const ir::VarRef x = builder.input("x", pool.x);
    const auto place = [&](const Indices& axes, const Expr& tap) {
        return positions_inside(window, pool.spatial(axes), ir::unflatten(tap, window.kernel));
    };
    const ir::VarRef best = builder.arg_reduce(
        "best", shape, ReduceOp::ArgMax, element_count(window.kernel), false,
        [&](const Indices& axes, const Indices& tap) { return at(x, pool.with_spatial(axes, place(axes, tap[0]))); });
    const ir::VarRef y = builder.compute("y", pool.x.dtype, shape, [&](const Indices& axes) {
        return at(x, pool.with_spatial(axes, place(axes, at(best, axes))));
    });
    const ir::VarRef indices = builder.compute("indices", ir::DType::I64, shape, [&](const Indices& axes) {
        return flat_index(pool, axes, place(axes, at(best, axes)), is_column_major);
    });
    return builder.finish({y, indices});
}

Task define_lp_pool(const OpCall& call) {
    const PoolShape pool(call, 0, ChannelOrder::First);
    const Window window = pool.window(call);
    const std::int64_t p = call.attributes.get<std::int64_t>("p");
    if (p < 1 || !ir::is_float(pool.x.dtype))
        throw OpError("lp_pool wants floats and a positive power, not ", text_of(pool.x), " and ", p);
    const ir::DType work = float_type_for(pool.x.dtype);
    const Shape shape = pool.with_spatial(pool.x.shape, window.output());
    TaskBuilder builder(pool.name);
    const ir::VarRef x = builder.input("x", pool.x);
    const auto power = [&](const Expr& element) {
        const Expr magnitude = abs_of(ir::cast_to(element, work));
        return p == 1   ? magnitude
               : p == 2 ? ir::mul(magnitude, magnitude)
                        : pow_of(magnitude, number(static_cast<double>(p), work));
    };
    const ir::VarRef sum =
        builder.reduce("sum", work, shape, ReduceOp::Sum, window.kernel, [&](const Indices& axes, const Indices& tap) {
            const Indices out = pool.spatial(axes);
            const Expr value = power(at(x, pool.with_spatial(axes, positions_of(window, out, tap))));
            return window.is_padded() ? ir::select(window.is_inside(out, tap), value, number(0, work)) : value;
        });
    return builder.finish("lp_pool", pool.x.dtype, shape, [&](const Indices& axes) {
        const Expr value = at(sum, axes);
        return p == 1 ? value : p == 2 ? sqrt_of(value) : pow_of(value, number(1 / static_cast<double>(p), work));
    });
}

constexpr const char* max_parameters =
    "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], ceil_mode: bool = False";
constexpr const char* avg_parameters =
    "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], ceil_mode: bool = False, "
    "count_include_pad: bool = False, divisor_override: int = 0";

} // namespace

std::span<const OpInfo> op_tables::pool() {
    static const OpInfo table[] = {
        {OpId::AdaptiveAvgPool1d, "adaptive_avg_pool1d", "x, output_size: ints", OpClass::Reduction,
         "the means of windows that give one spatial dimension of a wanted size",
         "hidet.ops.adaptive_avg_pool1d(hidet.randn([1, 2, 6]), output_size=[3])",
         of_rank<define_adaptive_avg_pool, 1>},
        {OpId::AdaptiveAvgPool2d, "adaptive_avg_pool2d", "x, output_size: ints", OpClass::Reduction,
         "the means of windows that give two spatial dimensions of a wanted size",
         "hidet.ops.adaptive_avg_pool2d(hidet.randn([1, 2, 6, 6]), output_size=[3])",
         of_rank<define_adaptive_avg_pool, 2>},
        {OpId::AdaptiveAvgPool2dChannelLast, "adaptive_avg_pool2d_channel_last", "x, output_size: ints",
         OpClass::Reduction, "the means of windows that give two spatial dimensions of a wanted size, channels last",
         "hidet.ops.adaptive_avg_pool2d_channel_last(hidet.randn([1, 6, 6, 2]), output_size=[3])",
         of_rank<define_adaptive_avg_pool, 2, ChannelOrder::Last>},
        {OpId::AdaptiveAvgPool3d, "adaptive_avg_pool3d", "x, output_size: ints", OpClass::Reduction,
         "the means of windows that give three spatial dimensions of a wanted size",
         "hidet.ops.adaptive_avg_pool3d(hidet.randn([1, 2, 4, 4, 4]), output_size=[3])",
         of_rank<define_adaptive_avg_pool, 3>},
        {OpId::AdaptiveMaxPool1d, "adaptive_max_pool1d", "x, output_size: ints", OpClass::Reduction,
         "the largest elements of windows that give one spatial dimension of a wanted size",
         "hidet.ops.adaptive_max_pool1d(hidet.randn([1, 2, 6]), output_size=[3])",
         of_rank<define_adaptive_max_pool, 1>},
        {OpId::AdaptiveMaxPool2d, "adaptive_max_pool2d", "x, output_size: ints", OpClass::Reduction,
         "the largest elements of windows that give two spatial dimensions of a wanted size",
         "hidet.ops.adaptive_max_pool2d(hidet.randn([1, 2, 6, 6]), output_size=[3])",
         of_rank<define_adaptive_max_pool, 2>},
        {OpId::AdaptiveMaxPool3d, "adaptive_max_pool3d", "x, output_size: ints", OpClass::Reduction,
         "the largest elements of windows that give three spatial dimensions of a wanted size",
         "hidet.ops.adaptive_max_pool3d(hidet.randn([1, 2, 4, 4, 4]), output_size=[3])",
         of_rank<define_adaptive_max_pool, 3>},
        {OpId::AvgPool1d, "avg_pool1d", avg_parameters, OpClass::Reduction,
         "the mean of each window over one spatial dimension",
         "hidet.ops.avg_pool1d(hidet.randn([1, 2, 6]), kernel=[2], stride=[2])", of_rank<define_avg_pool, 1>},
        {OpId::AvgPool2d, "avg_pool2d", avg_parameters, OpClass::Reduction,
         "the mean of each window over two spatial dimensions",
         "hidet.ops.avg_pool2d(hidet.randn([1, 2, 6, 6]), kernel=[2], stride=[2])", of_rank<define_avg_pool, 2>},
        {OpId::AvgPool2dChannelLast, "avg_pool2d_channel_last", avg_parameters, OpClass::Reduction,
         "the mean of each window over two spatial dimensions, channels last",
         "hidet.ops.avg_pool2d_channel_last(hidet.randn([1, 6, 6, 2]), kernel=[2], stride=[2])",
         of_rank<define_avg_pool, 2, ChannelOrder::Last>},
        {OpId::AvgPool3d, "avg_pool3d", avg_parameters, OpClass::Reduction,
         "the mean of each window over three spatial dimensions",
         "hidet.ops.avg_pool3d(hidet.randn([1, 2, 4, 4, 4]), kernel=[2], stride=[2])", of_rank<define_avg_pool, 3>},
        {OpId::AvgPoolNd, "avg_pool_nd", avg_parameters, OpClass::Reduction,
         "the mean of each window over all dimensions after the batch and the channels",
         "hidet.ops.avg_pool_nd(hidet.randn([1, 2, 6, 6]), kernel=[2], stride=[2])", of_rank<define_avg_pool, 0>},
        {OpId::MaxPool1d, "max_pool1d", max_parameters, OpClass::Reduction,
         "the largest element of each window over one spatial dimension",
         "hidet.ops.max_pool1d(hidet.randn([1, 2, 6]), kernel=[2], stride=[2])", of_rank<define_max_pool, 1>},
        {OpId::MaxPool2d, "max_pool2d", max_parameters, OpClass::Reduction,
         "the largest element of each window over two spatial dimensions",
         "hidet.ops.max_pool2d(hidet.randn([1, 2, 6, 6]), kernel=[2], stride=[2])", of_rank<define_max_pool, 2>},
        {OpId::MaxPool2dChannelLast, "max_pool2d_channel_last", max_parameters, OpClass::Reduction,
         "the largest element of each window over two spatial dimensions, channels last",
         "hidet.ops.max_pool2d_channel_last(hidet.randn([1, 6, 6, 2]), kernel=[2], stride=[2])",
         of_rank<define_max_pool, 2, ChannelOrder::Last>},
        {OpId::MaxPool3d, "max_pool3d", max_parameters, OpClass::Reduction,
         "the largest element of each window over three spatial dimensions",
         "hidet.ops.max_pool3d(hidet.randn([1, 2, 4, 4, 4]), kernel=[2], stride=[2])", of_rank<define_max_pool, 3>},
        {OpId::MaxPoolNd, "max_pool_nd", max_parameters, OpClass::Reduction,
         "the largest element of each window over all dimensions after the batch and the channels",
         "hidet.ops.max_pool_nd(hidet.randn([1, 2, 6, 6]), kernel=[2], stride=[2])", of_rank<define_max_pool, 0>},
        {OpId::LpPool, "lp_pool",
         "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], ceil_mode: bool = False, "
         "p: int = 2",
         OpClass::Reduction, "the `p`-norm of each window; without a kernel, of each channel",
         "hidet.ops.lp_pool(hidet.randn([1, 2, 4, 4]), kernel=[2], stride=[2])", define_lp_pool},
        {OpId::MaxPoolWithIndices, "max_pool_with_indices",
         "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], ceil_mode: bool = False, "
         "storage_order: int = 0",
         OpClass::Reduction, "the largest element of each window, and its index in the flattened input",
         "hidet.ops.max_pool_with_indices(hidet.randn([1, 2, 4, 4]), kernel=[2], stride=[2])",
         define_max_pool_with_indices},
    };
    return table;
}

} // namespace hidet::graph
