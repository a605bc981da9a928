// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/host_tensor.h"

namespace hidet::graph {

namespace {

// A scalar counts as a tensor of one element.
std::vector<TensorSpec> infer_nonzero(const OpCall& call, FreshSymbols& symbols) {
    const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(call.inputs[0].shape.size(), 1));
    return {{ir::DType::I64, {dim(rank), symbols.fresh("nonzero")}}};
}

std::vector<lang::TensorRef> run_nonzero(const HostCall& host) {
    std::vector<std::int64_t> shape = host.inputs[0]->shape;
    if (shape.empty())
        shape = {1};
    const std::vector<double> values = doubles_of(host.inputs[0]);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0)
            found.push_back(i);
    std::vector<std::int64_t> indices(shape.size() * found.size());
    for (std::size_t column = 0; column < found.size(); ++column) {
        auto rest = static_cast<std::int64_t>(found[column]);
        for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
            indices[d * found.size() + column] = rest % shape[d];
    }
    const auto rank = static_cast<std::int64_t>(shape.size());
    return {host_tensor(ir::DType::I64, {rank, static_cast<std::int64_t>(found.size())}, indices)};
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
        .run = run_nonzero,
    };
    return info;
}

} // namespace hidet::graph
