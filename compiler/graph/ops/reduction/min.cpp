// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"

namespace hidet::graph {

namespace {

Task define_min(const OpCall& call) {
    const bool is_bool = call.inputs[0].dtype == ir::DType::Bool;
    return define_reduction(call, "min", is_bool ? ReduceOp::And : ReduceOp::Min);
}

} // namespace

const OpInfo& op_info::ReduceMin() {
    static const OpInfo info = {
        .id = OpId::ReduceMin,
        .python = "min",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the smallest element over the dimensions `dims`; a NaN is smaller than all",
        .example = "hidet.ops.min(hidet.randn([2, 3]), dims=[1])",
        .define = define_min,
    };
    return info;
}

} // namespace hidet::graph
