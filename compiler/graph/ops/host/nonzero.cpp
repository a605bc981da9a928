// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

// A scalar counts as a tensor of one element.
std::vector<TensorSpec> infer_nonzero(const OpCall& call, FreshSymbols& symbols) {
    const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(call.inputs[0].shape.size(), 1));
    return {{ir::DType::I64, {dim(rank), symbols.fresh("nonzero")}}};
}

} // namespace

const OpInfo& op_info::NonZero() {
    static const OpInfo info = {
        .id = OpId::NonZero,
        .python = "nonzero",
        .parameters = "x",
        .cls = OpClass::Host,
        .summary = "the indices of the elements that are not zero, a column each, in row-major order",
        .example = "hidet.ops.nonzero(hidet.ones([2, 3]))",
        .infer = infer_nonzero,
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
