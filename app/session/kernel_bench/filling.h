// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/session/kernel_bench/kernel_bench.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

constexpr double largest_special = 100; // whose exponential no f32 holds

// Zeros, Ones, Arange, Random, Uniform and Special; the others leave the tensor as it is. Numbers depend on the seed alone.
// None is larger than `largest` where large ones are wanted; 1: none are.
void fill(lang::Tensor& tensor, Fill fill, std::uint64_t seed, double largest = largest_special);

} // namespace hidet::session
