// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"
#include "compiler/graph/ops/host/scatter.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_elements(const OpCall& call, FreshSymbols&) {
    check_scatter_elements(call);
    scattering_of(call.attributes);
    return {call.inputs[0]};
}

std::vector<TensorSpec> infer_nd(const OpCall& call, FreshSymbols&) {
    check_scatter_nd(call);
    scattering_of(call.attributes);
    return {call.inputs[0]};
}

} // namespace

const OpInfo& op_info::HostScatterElements() {
    static const OpInfo info = {
        .id = OpId::HostScatterElements,
        .python = "",
        .parameters = "data, indices, updates, axis: int = 0, reduction: str = 'none'",
        .cls = OpClass::Host,
        .summary = "as ScatterElements, in a time that is linear in the number of updates",
        .example = "hidet.ops.scatter_elements(hidet.zeros([3, 3]), hidet.zeros([1, 3], dtype='int64'), "
                   "hidet.ones([1, 3]))",
        .infer = infer_elements,
        .run = run_on_host,
        .indexes = indexed_by_scatter_elements,
    };
    return info;
}

const OpInfo& op_info::HostScatterND() {
    static const OpInfo info = {
        .id = OpId::HostScatterND,
        .python = "",
        .parameters = "data, indices, updates, reduction: str = 'none'",
        .cls = OpClass::Host,
        .summary = "as ScatterND, in a time that is linear in the number of updates",
        .example = "hidet.ops.scatter_nd(hidet.zeros([3, 3]), hidet.zeros([2, 1], dtype='int64'), hidet.ones([2, 3]))",
        .infer = infer_nd,
        .run = run_on_host,
        .indexes = indexed_by_scatter_nd,
    };
    return info;
}

} // namespace hidet::graph
