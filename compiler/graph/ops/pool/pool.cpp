// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

#include "compiler/graph/ops/pool/pool_shape.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

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
                throw OpError(pool.name + " wants a positive output size, not " + text_of(Attribute(size)));
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
    const ir::VarRef x = builder.input("x", pool.x.dtype, pool.x.shape);
    return builder.reduce_ragged(
        stage, dtype, window.shape, op, [&](const Indices& axes) { return window.lengths(pool.spatial(axes)); },
        [&](const Indices& axes, const Indices& tap) {
            return at(x, pool.with_spatial(axes, window.positions(pool.spatial(axes), tap)));
        });
}

} // namespace

Task define_max_pool(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order) {
    const PoolShape pool(call, name, rank, order);
    const Window window = pool.window(call);
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", pool.x.dtype, pool.x.shape);
    const ir::VarRef y = builder.reduce("y", pool.x.dtype, pool.with_spatial(pool.x.shape, window.output()),
                                        ReduceOp::Max, window.kernel, [&](const Indices& axes, const Indices& tap) {
                                            return element(pool, window, x, axes, tap, lowest_of(pool.x.dtype));
                                        });
    return builder.finish({y});
}

Task define_avg_pool(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order) {
    const PoolShape pool(call, name, rank, order);
    const Window window = pool.window(call);
    const Taps counted = call.attributes.get<bool>("count_include_pad") ? Taps::InPaddedInput : Taps::InInput;
    const std::int64_t divisor = call.attributes.get<std::int64_t>("divisor_override");
    const Shape shape = pool.with_spatial(pool.x.shape, window.output());
    const ir::DType work = work_of(pool.x.dtype);
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", pool.x.dtype, pool.x.shape);
    const ir::VarRef sum =
        builder.reduce("sum", work, shape, ReduceOp::Sum, window.kernel, [&](const Indices& axes, const Indices& tap) {
            return element(pool, window, x, axes, tap, number(0, pool.x.dtype));
        });
    const ir::VarRef y = builder.compute("y", pool.x.dtype, shape, [&](const Indices& axes) {
        const Expr count = divisor != 0 ? dim(divisor) : window.tap_count(pool.spatial(axes), counted);
        return divided(at(sum, axes), count);
    });
    return builder.finish({y});
}

Task define_adaptive_avg_pool(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order) {
    const PoolShape pool(call, name, rank, order);
    const AdaptiveWindow window(call, pool);
    TaskBuilder builder(name);
    const ir::VarRef sum = adaptive_reduction(builder, pool, window, "sum", work_of(pool.x.dtype), ReduceOp::Sum);
    const ir::VarRef y = builder.compute("y", pool.x.dtype, window.shape, [&](const Indices& axes) {
        return divided(at(sum, axes), element_count(window.lengths(pool.spatial(axes))));
    });
    return builder.finish({y});
}

Task define_adaptive_max_pool(const OpCall& call, const std::string& name, std::size_t rank) {
    const PoolShape pool(call, name, rank, ChannelOrder::First);
    const AdaptiveWindow window(call, pool);
    TaskBuilder builder(name);
    const ir::VarRef y = adaptive_reduction(builder, pool, window, "y", pool.x.dtype, ReduceOp::Max);
    return builder.finish({y});
}

} // namespace hidet::graph
