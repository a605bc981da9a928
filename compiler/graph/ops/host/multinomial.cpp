// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

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

// The input has logarithms of probabilities that need not add up to one.
std::vector<lang::TensorRef> run_multinomial(const HostCall& host) {
    const lang::TensorRef& x = host.inputs[0];
    const std::int64_t size = sample_size(host.call.attributes);
    const auto classes = static_cast<std::size_t>(x->shape[1]);
    lang::Random random = random_of(host.call.attributes);
    const std::vector<double> logits = doubles_of(x);
    std::vector<std::int64_t> drawn;
    for (std::size_t row = 0; row < static_cast<std::size_t>(x->shape[0]); ++row) {
        const double* from = logits.data() + row * classes;
        const double largest = *std::max_element(from, from + classes);
        std::vector<double> sums;
        double sum = 0;
        for (std::size_t i = 0; i < classes; ++i)
            sums.push_back(sum += std::exp(from[i] - largest));
        for (std::int64_t i = 0; i < size; ++i) {
            const auto found = std::ranges::upper_bound(sums, random.uniform() * sum);
            drawn.push_back(std::min<std::int64_t>(found - sums.begin(), static_cast<std::int64_t>(classes) - 1));
        }
    }
    return {host_tensor(host.call.attributes.get<ir::DType>("dtype"), {x->shape[0], size}, drawn)};
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
        .run = run_multinomial,
        .is_random = true,
    };
    return info;
}

} // namespace hidet::graph
