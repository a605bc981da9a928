// SPDX-License-Identifier: Apache-2.0
// Elements of memory as values to compute with, and back: one by one, and in runs.
#pragma once

#include <cstdint>

#include "compiler/ir/scalar.h"
#include "lang/tensor/tensor.h"

namespace hidet::graph::lanes {

using Cell = ir::ScalarValue;

// OpError for types of less than a byte.
Cell load(ir::DType dtype, const std::byte* data, std::int64_t index);
void store(ir::DType dtype, std::byte* data, std::int64_t index, Cell value);

// The elements first, first + step, ...; neighbours from `first` on.
void fused_loads(ir::DType dtype, const std::byte* data, std::int64_t first, std::int64_t step, int count,
                 Cell* values);
void store_run(ir::DType dtype, std::byte* data, std::int64_t first, int count, const Cell* values);

} // namespace hidet::graph::lanes
