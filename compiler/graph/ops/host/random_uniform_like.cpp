// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer(const OpCall& call, FreshSymbols&) {
    return {{dtype_attribute(call.attributes, call.inputs[0].dtype), call.inputs[0].shape}};
}

std::vector<lang::TensorRef> run(const HostCall& host) {
    const Attributes& attributes = host.call.attributes;
    const double low = attributes.get_or("low", 0.0);
    const double high = attributes.get_or("high", 1.0);
    lang::Random random = random_of(attributes);
    const ir::DType dtype = dtype_attribute(attributes, host.inputs[0]->dtype);
    return {random_tensor_of(dtype, host.inputs[0]->shape, [&] { return low + (high - low) * random.uniform(); })};
}

} // namespace

const OpInfo& op_info::RandomUniformLike() {
    static const OpInfo info = {
        .name = "RandomUniformLike",
        .python = "random_uniform_like",
        .parameters = "x, low: float = 0.0, high: float = 1.0, seed: float = 0.0, dtype: dtype = None",
        .cls = OpClass::Host,
        .summary = "numbers of a uniform distribution from `low` to `high`, in the shape of a tensor",
        .example = "hidet.ops.random_uniform_like(hidet.zeros([2, 3]))",
        .infer = infer,
        .run = run,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
