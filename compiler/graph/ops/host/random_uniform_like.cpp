// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_random_uniform_like(const OpCall& call, FreshSymbols&) {
    return {{dtype_attribute(call.attributes, call.inputs[0].dtype), call.inputs[0].shape}};
}

} // namespace

const OpInfo& op_info::RandomUniformLike() {
    static const OpInfo info = {
        .id = OpId::RandomUniformLike,
        .python = "random_uniform_like",
        .parameters = "x, low: float = 0.0, high: float = 1.0, seed: float = 0.0, dtype: dtype = None",
        .cls = OpClass::Host,
        .summary = "numbers of a uniform distribution from `low` to `high`, in the shape of a tensor",
        .example = "hidet.ops.random_uniform_like(hidet.zeros([2, 3]))",
        .infer = infer_random_uniform_like,
        .run = run_on_host,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
