// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_bernoulli(const OpCall& call, FreshSymbols&) {
    return {{dtype_attribute(call.attributes, call.inputs[0].dtype), call.inputs[0].shape}};
}

} // namespace

const OpInfo& op_info::Bernoulli() {
    static const OpInfo info = {
        .id = OpId::Bernoulli,
        .python = "bernoulli",
        .parameters = "x, seed: float = 0.0, dtype: dtype = None",
        .cls = OpClass::Host,
        .summary = "ones, each with the probability that its element gives, and zeros",
        .example = "hidet.ops.bernoulli(hidet.ones([2, 3]))",
        .infer = infer_bernoulli,
        .run = run_on_host,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
