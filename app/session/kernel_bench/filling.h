// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/session/kernel_bench/kernel_bench.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

constexpr double largest_special = 100; // whose exponential no f32 holds

struct FillNumbers {
    std::uint64_t seed = 0;           // they depend on it alone
    double largest = largest_special; // where large ones are wanted; 1: none are
    lang::TensorRef source{}; // whose elements are drawn from where random numbers are wanted; null: any numbers
};

// Zeros, Ones, Arange, Random, Uniform, Special and NotFinite; the others leave the tensor as it is.
void fill(lang::Tensor& tensor, Fill fill, const FillNumbers& numbers);

} // namespace hidet::session
