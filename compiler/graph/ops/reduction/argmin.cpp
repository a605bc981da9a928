// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/arg_reduction.h"

namespace hidet::graph {

const OpInfo& op_info::ArgMin() {
    static const OpInfo info = {
        .id = OpId::ArgMin,
        .python = "argmin",
        .parameters = "x, dim: int = 0, keepdims: bool = False, select_last: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the index of the smallest element along `dim`; with `select_last`, of the last one of equals",
        .example = "hidet.ops.argmin(hidet.randn([2, 3]), dim=1)",
        .define = [](const OpCall& call) { return define_arg_reduction(call, "argmin", ReduceOp::ArgMin); },
    };
    return info;
}

} // namespace hidet::graph
