// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/random.h"

namespace hidet::graph {

namespace {

std::int64_t sample_size(const Attributes& attributes) {
    const std::int64_t size = attributes.get<std::int64_t>("sample_size");
    if (size < 0)
        throw OpError("multinomial wants a sample size that is not negative, not " + std::to_string(size));
    return size;
}

std::vector<TensorSpec> infer_multinomial(const OpCall& call, FreshSymbols&) {
    const TensorSpec& x = call.inputs[0];
    if (x.shape.size() != 2)
        throw OpError("multinomial wants a tensor of two dimensions, not " + text_of(x));
    return {{call.attributes.get<ir::DType>("dtype"), {x.shape[0], dim(sample_size(call.attributes))}}};
}

} // namespace

const OpInfo& op_info::Multinomial() {
    static const OpInfo info = {
        .id = OpId::Multinomial,
        .python = "multinomial",
        .parameters = "x, sample_size: int = 1, seed: float = 0.0, dtype: dtype = 'int32'",
        .cls = OpClass::Host,
        .summary = "classes drawn for each row of logarithms of probabilities",
        .example = "hidet.ops.multinomial(hidet.randn([2, 3]), sample_size=4)",
        .infer = infer_multinomial,
        .run = run_on_host,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
