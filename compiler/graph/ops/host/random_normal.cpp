// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_random_normal(const OpCall& call, FreshSymbols&) {
    return {{call.attributes.get<ir::DType>("dtype"), graph::shape_of(shape_attribute(call.attributes))}};
}

} // namespace

const OpInfo& op_info::RandomNormal() {
    static const OpInfo info = {
        .id = OpId::RandomNormal,
        .python = "random_normal",
        .parameters =
            "shape: shape, mean: float = 0.0, scale: float = 1.0, seed: float = 0.0, dtype: dtype = 'float32'",
        .cls = OpClass::Host,
        .summary = "numbers of a normal distribution",
        .example = "hidet.ops.random_normal([2, 3])",
        .infer = infer_random_normal,
        .run = run_on_host,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
