// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/seeded_weights.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/plan/extent.h"
#include "lang/host/tensor_data.h"
#include "lang/host/tensor_random.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{4} << 30;

std::uint64_t mixed(std::uint64_t seed, const std::string& hash) {
    for (const unsigned char c : hash)
        seed = (seed ^ c) * 0x100000001b3;
    return seed;
}

// Scales and variances of a normalisation are positive; products of matrices keep the size of what goes in.
void fill(const lang::Tensor& tensor, lang::Random random) {
    const auto count = static_cast<std::size_t>(tensor.count());
    if (!ir::is_float(tensor.dtype)) {
        lang::Integers numbers(count);
        for (std::int64_t& number : numbers)
            number = static_cast<std::int64_t>(random.next() >> 63);
        return lang::write_integers(tensor, numbers);
    }
    const bool is_matrix = tensor.shape.size() >= 2;
    const double fan = is_matrix && tensor.shape[0] > 0 ? static_cast<double>(tensor.count() / tensor.shape[0]) : 1;
    lang::Doubles numbers(count);
    for (double& number : numbers)
        number = is_matrix ? random.normal() / std::sqrt(std::max(fan, 1.0)) : 0.5 + random.uniform();
    lang::write_doubles(tensor, numbers);
}

} // namespace

graph::WeightSource seeded_weights(std::uint64_t seed, std::int64_t& bytes) {
    return [seed, &bytes](const std::string& hash, const graph::TensorSpec& spec) -> lang::TensorRef {
        const auto extents = graph::constant_shape(spec.shape);
        const auto wanted = graph::evaluate(graph::bytes_of(spec), {});
        if (!extents || !wanted || *wanted < 0 || *wanted > most_bytes - bytes || !lang::holds_numbers(spec.dtype))
            return nullptr;
        bytes += *wanted;
        lang::TensorRef tensor(new lang::Tensor());
        tensor->dtype = spec.dtype;
        tensor->shape = *extents;
        tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(std::max<std::int64_t>(*wanted, 1)));
        fill(*tensor, lang::Random(mixed(seed, hash)));
        return tensor;
    };
}

} // namespace hidet::session
