// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool_shape.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_lp_pool(const OpCall& call) {
    const PoolShape pool(call, "lp_pool", 0, ChannelOrder::First);
    const Window window = pool.window(call);
    const std::int64_t p = call.attributes.get<std::int64_t>("p");
    if (p < 1 || !ir::is_float(pool.x.dtype))
        throw OpError("lp_pool wants floats and a positive power, not " + text_of(pool.x) + " and " +
                      std::to_string(p));
    const ir::DType work = float_type_for(pool.x.dtype);
    const Shape shape = pool.with_spatial(pool.x.shape, window.output());
    TaskBuilder builder("lp_pool");
    const ir::VarRef x = builder.input("x", pool.x.dtype, pool.x.shape);
    const auto power = [&](const Expr& element) {
        const Expr magnitude = abs_of(ir::cast_to(element, work));
        return p == 1   ? magnitude
               : p == 2 ? ir::mul(magnitude, magnitude)
                        : pow_of(magnitude, number(static_cast<double>(p), work));
    };
    const ir::VarRef sum =
        builder.reduce("sum", work, shape, ReduceOp::Sum, window.kernel, [&](const Indices& axes, const Indices& tap) {
            const Indices out = pool.spatial(axes);
            Indices positions;
            for (std::size_t d = 0; d < window.rank; ++d)
                positions.push_back(window.position(out, tap, d));
            const Expr value = power(at(x, pool.with_spatial(axes, positions)));
            return window.is_padded() ? ir::select(window.is_inside(out, tap), value, number(0, work)) : value;
        });
    const ir::VarRef y = builder.compute("lp_pool", pool.x.dtype, shape, [&](const Indices& axes) {
        const Expr value = at(sum, axes);
        return p == 1 ? value : p == 2 ? sqrt_of(value) : pow_of(value, number(1 / static_cast<double>(p), work));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::LpPool() {
    static const OpInfo info = {
        .id = OpId::LpPool,
        .python = "lp_pool",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False, p: int = 2",
        .cls = OpClass::Reduction,
        .summary = "the `p`-norm of each window; without a kernel, of each channel",
        .example = "hidet.ops.lp_pool(hidet.randn([1, 2, 4, 4]), kernel=[2], stride=[2])",
        .define = define_lp_pool,
    };
    return info;
}

} // namespace hidet::graph
