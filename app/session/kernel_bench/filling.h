// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/session/kernel_bench/kernel_bench.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

// Zeros, Ones, Arange, Random and Uniform; the others leave the tensor as it is. Numbers depend on the seed alone.
void fill(lang::Tensor& tensor, Fill fill, std::uint64_t seed);

} // namespace hidet::session
