// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/seeded_weights.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/plan/extent.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{4} << 30;

std::uint64_t mixed(std::uint64_t seed, const std::string& hash) {
    for (const unsigned char c : hash)
        seed = (seed ^ c) * 0x100000001b3;
    return seed;
}

// Element i depends on the key and i alone, and takes no function of a math library: any program can make the same numbers
// (tests/models/large/make.py does, for ONNX Runtime).
double uniform(std::uint64_t key, std::uint64_t i) { // [0, 1): splitmix64
    std::uint64_t z = key + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Scales and variances of a normalisation are positive; products of matrices keep the size of what goes in.
void fill(const lang::Tensor& tensor, std::uint64_t key) {
    const auto count = static_cast<std::size_t>(tensor.count());
    if (!ir::is_float(tensor.dtype)) {
        lang::Integers numbers(count);
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = uniform(key, i) < 0.5 ? 0 : 1;
        return lang::write_integers(tensor, numbers);
    }
    const bool is_matrix = tensor.shape.size() >= 2;
    const double fan = is_matrix && tensor.shape[0] > 0 ? static_cast<double>(tensor.count() / tensor.shape[0]) : 1;
    const double widest = std::sqrt(3 / std::max(fan, 1.0));
    lang::Doubles numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = is_matrix ? (2 * uniform(key, i) - 1) * widest : 0.5 + uniform(key, i);
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
        fill(*tensor, mixed(seed, hash));
        return tensor;
    };
}

} // namespace hidet::session
