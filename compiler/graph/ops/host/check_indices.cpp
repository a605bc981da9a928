// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/core/indices.h"
#include "compiler/graph/ops/host/host_tensor.h"
#include "compiler/graph/ops/transform/move.h"

namespace hidet::graph {

namespace {

lang::TensorRef checked(const HostCall& host) {
    const Attributes& given = host.call.attributes;
    IndexLimits limits{ints_attribute(host.call, "extents"), given.get<bool>("from_end"), std::nullopt};
    if (const Ints ignored = given.get<Ints>("ignored"); !ignored.empty())
        limits.ignored = ignored.front();
    const lang::Tensor& indices = *host.inputs[0];
    check_indices(indices, limits, given.get<std::string>("tensor"), "it");
    lang::TensorRef copy = host_tensor(indices.dtype, indices.shape);
    std::copy_n(indices.read(), indices.count() * ir::bytes_of(indices.dtype), copy->data());
    return copy;
}

} // namespace

const OpInfo& op_info::CheckIndices() {
    static const OpInfo info = {
        .id = OpId::CheckIndices,
        .python = "",
        .parameters = "indices: tensors, extents: shape, from_end: bool = True, ignored: ints = [], "
                      "tensor: str = 'indices'",
        .cls = OpClass::Host,
        .summary = "the indices as they are, when none is outside of the extents; what else comes makes them known",
        .infer = [](const OpCall& call, FreshSymbols&) -> std::vector<TensorSpec> { return {call.inputs[0]}; },
        .run = [](const HostCall& host) -> std::vector<lang::TensorRef> { return {checked(host)}; },
    };
    return info;
}

} // namespace hidet::graph
