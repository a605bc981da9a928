// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"

namespace hidet::graph {

const OpInfo& op_info::ReduceProd() {
    static const OpInfo info = {
        .id = OpId::ReduceProd,
        .python = "prod",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the product over the dimensions `dims`",
        .example = "hidet.ops.prod(hidet.randn([2, 3]), dims=[1])",
        .define = [](const OpCall& call) { return define_reduction(call, "prod", ReduceOp::Prod); },
    };
    return info;
}

} // namespace hidet::graph
