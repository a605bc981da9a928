// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_random_normal_like(const OpCall& call, FreshSymbols&) {
    return {{dtype_attribute(call.attributes, call.inputs[0].dtype), call.inputs[0].shape}};
}

} // namespace

const OpInfo& op_info::RandomNormalLike() {
    static const OpInfo info = {
        .id = OpId::RandomNormalLike,
        .python = "random_normal_like",
        .parameters = "x, mean: float = 0.0, scale: float = 1.0, seed: float = 0.0, dtype: dtype = None",
        .cls = OpClass::Host,
        .summary = "numbers of a normal distribution, in the shape of a tensor",
        .example = "hidet.ops.random_normal_like(hidet.zeros([2, 3]))",
        .infer = infer_random_normal_like,
        .run = run_on_host,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
