// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// The largest element is taken out first, so that no exponential overflows; where it is infinite, nothing is.
Task define_log_sum_exp(const OpCall& call) {
    const ReducedShape reduced = reduced_shape(call);
    const ir::DType dtype = call.inputs[0].dtype;
    const ir::DType work = float_type_for(dtype);
    TaskBuilder builder("reduce_log_sum_exp");
    const ir::VarRef x = builder.input("x", dtype, call.inputs[0].shape);
    const auto element = [&](const Indices& axes, const Indices& over) {
        return ir::cast_to(at(x, input_index(reduced, axes, over)), work);
    };
    const ir::VarRef largest = builder.reduce("largest", work, reduced.shape, ReduceOp::Max, reduced.extents, element);
    const auto shift = [&](const Indices& axes) {
        const Expr value = at(largest, axes);
        return ir::select(ir::math(ir::IntrinsicId::IsInf, {value}), number(0, work), value);
    };
    const ir::VarRef sum = builder.reduce(
        "sum", work, reduced.shape, ReduceOp::Sum, reduced.extents,
        [&](const Indices& axes, const Indices& over) { return exp_of(ir::sub(element(axes, over), shift(axes))); });
    const ir::VarRef y = builder.compute("reduce_log_sum_exp", dtype, reduced.shape, [&](const Indices& axes) {
        return ir::add(log_of(at(sum, axes)), shift(axes));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::ReduceLogSumExp() {
    static const OpInfo info = {
        .id = OpId::ReduceLogSumExp,
        .python = "reduce_log_sum_exp",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the logarithm of the sum of exponentials over the dimensions `dims`",
        .example = "hidet.ops.reduce_log_sum_exp(hidet.randn([2, 3]), dims=[1])",
        .define = define_log_sum_exp,
    };
    return info;
}

} // namespace hidet::graph
