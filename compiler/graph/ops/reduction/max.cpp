// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"

namespace hidet::graph {

namespace {

Task define_max(const OpCall& call) {
    const bool is_bool = call.inputs[0].dtype == ir::DType::Bool;
    return define_reduction(call, "max", is_bool ? ReduceOp::Or : ReduceOp::Max);
}

} // namespace

const OpInfo& op_info::ReduceMax() {
    static const OpInfo info = {
        .id = OpId::ReduceMax,
        .python = "max",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the largest element over the dimensions `dims`; a NaN is larger than all",
        .example = "hidet.ops.max(hidet.randn([2, 3]), dims=[1])",
        .define = define_max,
    };
    return info;
}

} // namespace hidet::graph
