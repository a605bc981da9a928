// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool_shape.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

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
    const PoolShape pool(call, "max_pool_with_indices", 0, ChannelOrder::First);
    const Window window = pool.window(call);
    const bool is_column_major = call.attributes.get<std::int64_t>("storage_order") != 0;
    const Shape shape = pool.with_spatial(pool.x.shape, window.output());
    TaskBuilder builder(pool.name);
    const ir::VarRef x = builder.input("x", pool.x.dtype, pool.x.shape);
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

} // namespace

const OpInfo& op_info::MaxPoolWithIndices() {
    static const OpInfo info = {
        .id = OpId::MaxPoolWithIndices,
        .python = "max_pool_with_indices",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False, storage_order: int = 0",
        .cls = OpClass::Reduction,
        .summary = "the largest element of each window, and its index in the flattened input",
        .example = "hidet.ops.max_pool_with_indices(hidet.randn([1, 2, 4, 4]), kernel=[2], stride=[2])",
        .define = define_max_pool_with_indices,
    };
    return info;
}

} // namespace hidet::graph
