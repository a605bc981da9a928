// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

const OpInfo& op_info::CheckIndices() {
    static const OpInfo info = {
        .id = OpId::CheckIndices,
        .python = "",
        .parameters = "indices: tensors, extents: shape, from_end: bool = True, ignored: ints = [], "
                      "tensor: str = 'indices'",
        .cls = OpClass::Host,
        .summary = "the indices as they are, when none is outside of the extents; what else comes makes them known",
        .infer = [](const OpCall& call, FreshSymbols&) -> std::vector<TensorSpec> { return {call.inputs[0]}; },
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
