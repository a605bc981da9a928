// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Of integers the quotient is truncated, and the mean of nothing is 0.
Task define_mean(const OpCall& call) {
    MappedReduction mean;
    const ir::DType dtype = call.inputs[0].dtype;
    const bool is_float = ir::is_float(dtype);
    mean.work = is_float ? accumulator_of(dtype) : ir::DType::I64;
    mean.term = [](const Expr& x) { return x; };
    mean.finish = [&](const Expr& sum, const Expr& count) {
        return is_float ? ir::div(sum, ir::cast_to(count, mean.work)) : ir::div(sum, max_index(count, dim(1)));
    };
    return define_mapped_reduction(call, "mean", mean);
}

} // namespace

const OpInfo& op_info::ReduceMean() {
    static const OpInfo info = {
        .id = OpId::ReduceMean,
        .python = "mean",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the mean over the dimensions `dims`",
        .example = "hidet.ops.mean(hidet.randn([2, 3]), dims=[1])",
        .define = define_mean,
    };
    return info;
}

} // namespace hidet::graph
