// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_random_normal_like(const OpCall& call, FreshSymbols&) {
    return {{dtype_attribute(call.attributes, call.inputs[0].dtype), call.inputs[0].shape}};
}

std::vector<lang::TensorRef> run_random_normal_like(const HostCall& host) {
    const lang::Tensor& like = *host.inputs[0];
    return {normal_tensor(host.call.attributes, dtype_attribute(host.call.attributes, like.dtype), like.shape)};
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
        .run = run_random_normal_like,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
