// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_random_uniform(const OpCall& call, FreshSymbols&) {
    return {{call.attributes.get<ir::DType>("dtype"), graph::shape_of(shape_attribute(call.attributes))}};
}

} // namespace

const OpInfo& op_info::RandomUniform() {
    static const OpInfo info = {
        .id = OpId::RandomUniform,
        .python = "random_uniform",
        .parameters = "shape: shape, low: float = 0.0, high: float = 1.0, seed: float = 0.0, dtype: dtype = 'float32'",
        .cls = OpClass::Host,
        .summary = "numbers of a uniform distribution from `low` to `high`",
        .example = "hidet.ops.random_uniform([2, 3])",
        .infer = infer_random_uniform,
        .run = run_on_host,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
