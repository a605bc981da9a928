// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Expr power_of_magnitude(const Expr& x, double p, ir::DType work) {
    if (p == 1)
        return abs_of(x);
    return p == 2 ? ir::mul(x, x) : pow_of(abs_of(x), number(p, work));
}

Expr root(const Expr& sum, double p, ir::DType work) {
    if (p == 1)
        return sum;
    return p == 2 ? sqrt_of(sum) : pow_of(sum, number(1 / p, work));
}

// Elements that are all zero stay zero, whatever `eps` is.
Task define_lp_norm(const OpCall& call) {
    const TensorSpec& input = call.inputs[0];
    if (!ir::is_float(input.dtype))
        throw OpError("lp_norm wants a tensor of floats, not " + text_of(input));
    const double p = call.attributes.get<double>("p");
    const double eps = call.attributes.get<double>("eps");
    if (!(p > 0))
        throw OpError("lp_norm wants a positive power");
    const ReducedShape reduced = reduced_shape(input.shape, {call.attributes.get<std::int64_t>("dim")}, true);
    const ir::DType work = float_type_for(input.dtype);
    TaskBuilder builder("lp_norm");
    const ir::VarRef x = builder.input("x", input.dtype, input.shape);
    const auto element = [&](const Indices& axes) { return ir::cast_to(at(x, axes), work); };
    const ir::VarRef sum = builder.reduce(
        "sum", work, reduced.shape, ReduceOp::Sum, reduced.extents, [&](const Indices& axes, const Indices& over) {
            return power_of_magnitude(element(input_index(reduced, axes, over)), p, work);
        });
    const ir::VarRef y = builder.compute("lp_norm", input.dtype, input.shape, [&](const Indices& axes) {
        const Expr norm = larger_of(root(at(sum, result_index(reduced, axes)), p, work), number(eps, work));
        return ir::select(ir::equal(norm, number(0, work)), number(0, work), ir::div(element(axes), norm));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::LpNorm() {
    static const OpInfo info = {
        .id = OpId::LpNorm,
        .python = "lp_norm",
        .parameters = "x, p: float = 2.0, dim: int = 1, eps: float = 1e-12",
        .cls = OpClass::Reduction,
        .summary = "the elements over their `p`-norm along `dim`, which is at least `eps`",
        .example = "hidet.ops.lp_norm(hidet.randn([2, 3]), p=2.0, dim=1)",
        .define = define_lp_norm,
    };
    return info;
}

} // namespace hidet::graph
