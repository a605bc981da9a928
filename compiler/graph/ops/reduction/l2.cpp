// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_l2(const OpCall& call) {
    MappedReduction norm;
    norm.work = float_type_for(call.inputs[0].dtype);
    norm.term = [](const Expr& x) { return ir::mul(x, x); };
    norm.finish = [](const Expr& sum, const Expr&) { return sqrt_of(sum); };
    return define_mapped_reduction(call, "reduce_l2", norm);
}

} // namespace

const OpInfo& op_info::ReduceL2() {
    static const OpInfo info = {
        .id = OpId::ReduceL2,
        .python = "reduce_l2",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the square root of the sum of squares over the dimensions `dims`",
        .example = "hidet.ops.reduce_l2(hidet.randn([2, 3]), dims=[1])",
        .define = define_l2,
    };
    return info;
}

} // namespace hidet::graph
