// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_lrn(const OpCall& call) {
    const TensorSpec& input = call.inputs[0];
    const std::int64_t size = call.attributes.get<std::int64_t>("size");
    if (input.shape.size() < 2 || !ir::is_float(input.dtype))
        throw OpError("lrn wants floats of at least two dimensions, not " + text_of(input));
    if (size < 1)
        throw OpError("lrn wants a positive size, not " + std::to_string(size));
    const double alpha = call.attributes.get<double>("alpha");
    const double beta = call.attributes.get<double>("beta");
    const double bias = call.attributes.get<double>("bias");
    const ir::DType work = float_type_for(input.dtype);
    TaskBuilder builder("lrn");
    const ir::VarRef x = builder.input("x", input.dtype, input.shape);
    const auto square = [&](const Indices& axes) {
        const Expr value = ir::cast_to(at(x, axes), work);
        return ir::mul(value, value);
    };
    const ir::VarRef squares = builder.reduce(
        "squares", work, input.shape, ReduceOp::Sum, {dim(size)}, [&](const Indices& axes, const Indices& over) {
            Indices index = axes;
            index[1] = ir::add(ir::sub(axes[1], dim((size - 1) / 2)), over[0]);
            return ir::select(is_inside(index[1], input.shape[1]), square(index), number(0, work));
        });
    const ir::VarRef y = builder.compute("lrn", input.dtype, input.shape, [&](const Indices& axes) {
        const Expr scale =
            ir::add(number(bias, work), ir::mul(number(alpha / static_cast<double>(size), work), at(squares, axes)));
        return ir::div(ir::cast_to(at(x, axes), work), pow_of(scale, number(beta, work)));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::LRN() {
    static const OpInfo info = {
        .id = OpId::LRN,
        .python = "lrn",
        .parameters = "x, size: int, alpha: float = 0.0001, beta: float = 0.75, bias: float = 1.0",
        .cls = OpClass::Reduction,
        .summary = "the elements over a power of the mean square of their neighbours among the channels",
        .example = "hidet.ops.lrn(hidet.randn([1, 5, 2, 2]), size=3)",
        .define = define_lrn,
    };
    return info;
}

} // namespace hidet::graph
