// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_log_sum(const OpCall& call) {
    MappedReduction sum;
    sum.work = float_type_for(call.inputs[0].dtype);
    sum.term = [](const Expr& x) { return x; };
    sum.finish = [](const Expr& value, const Expr&) { return log_of(value); };
    return define_mapped_reduction(call, "reduce_log_sum", sum);
}

} // namespace

const OpInfo& op_info::ReduceLogSum() {
    static const OpInfo info = {
        .id = OpId::ReduceLogSum,
        .python = "reduce_log_sum",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the logarithm of the sum over the dimensions `dims`",
        .example = "hidet.ops.reduce_log_sum(hidet.randn([2, 3]), dims=[1])",
        .define = define_log_sum,
    };
    return info;
}

} // namespace hidet::graph
