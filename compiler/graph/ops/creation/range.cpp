// SPDX-License-Identifier: Apache-2.0
// A sequence whose ends are data: how long it is, is known when it runs.
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_range(const OpCall& call, FreshSymbols& symbols) {
    const ir::DType dtype = call.inputs[0].dtype;
    for (const TensorSpec& input : call.inputs)
        if (input.dtype != dtype || !same_dim(element_count(input.shape), dim(1)))
            throw OpError("range wants three numbers of one type, not " + text_of(input));
    const bool is_known = dtype == ir::DType::F32 || dtype == ir::DType::F64 || dtype == ir::DType::I16 ||
                          dtype == ir::DType::I32 || dtype == ir::DType::I64;
    if (!is_known)
        throw OpError(std::string("range does not make ") + ir::info(dtype).name);
    return {{dtype, {symbols.fresh("range")}}};
}

} // namespace

const OpInfo& op_info::Range() {
    static const OpInfo info = {
        .id = OpId::Range,
        .python = "range",
        .parameters = "start, limit, delta",
        .cls = OpClass::Host,
        .summary = "start, start + delta, ... up to but not including limit, which are tensors of one element",
        .example = "hidet.ops.range(hidet.asarray(0), hidet.asarray(10), hidet.asarray(2))",
        .infer = infer_range,
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
