// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer(const OpCall& call, FreshSymbols&) {
    return {{dtype_attribute(call.attributes, call.inputs[0].dtype), call.inputs[0].shape}};
}

std::vector<lang::TensorRef> run(const HostCall& host) {
    const Attributes& attributes = host.call.attributes;
    const double mean = attributes.get_or("mean", 0.0);
    const double scale = attributes.get_or("scale", 1.0);
    lang::Random random = random_of(attributes);
    const ir::DType dtype = dtype_attribute(attributes, host.inputs[0]->dtype);
    return {random_tensor_of(dtype, host.inputs[0]->shape, [&] { return mean + scale * random.normal(); })};
}

} // namespace

const OpInfo& op_info::RandomNormalLike() {
    static const OpInfo info = {
        .name = "RandomNormalLike",
        .python = "random_normal_like",
        .parameters = "x, mean: float = 0.0, scale: float = 1.0, seed: float = 0.0, dtype: dtype = None",
        .cls = OpClass::Host,
        .summary = "numbers of a normal distribution, in the shape of a tensor",
        .example = "hidet.ops.random_normal_like(hidet.zeros([2, 3]))",
        .infer = infer,
        .run = run,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
