// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"

namespace hidet::graph {

const OpInfo& op_info::ReduceSum() {
    static const OpInfo info = {
        .id = OpId::ReduceSum,
        .python = "sum",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the sum over the dimensions `dims`",
        .example = "hidet.ops.sum(hidet.randn([2, 3]), dims=[1])",
        .define = [](const OpCall& call) { return define_reduction(call, "sum", ReduceOp::Sum); },
    };
    return info;
}

} // namespace hidet::graph
