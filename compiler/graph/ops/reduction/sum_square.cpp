// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_sum_square(const OpCall& call) {
    MappedReduction sum;
    sum.work = accumulator_of(call.inputs[0].dtype);
    sum.term = [](const Expr& x) { return ir::mul(x, x); };
    return define_mapped_reduction(call, "reduce_sum_square", sum);
}

} // namespace

const OpInfo& op_info::ReduceSumSquare() {
    static const OpInfo info = {
        .id = OpId::ReduceSumSquare,
        .python = "reduce_sum_square",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the sum of squares over the dimensions `dims`",
        .example = "hidet.ops.reduce_sum_square(hidet.randn([2, 3]), dims=[1])",
        .define = define_sum_square,
    };
    return info;
}

} // namespace hidet::graph
