// SPDX-License-Identifier: Apache-2.0
// Extents at run time: what an expression over symbols is once the symbols are known.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/core/op.h"
#include "lang/base/symbol_values.h"

namespace hidet::graph {

// Nothing when a symbol has no value, something is divided by zero, or 64 bits do not hold it.
std::optional<std::int64_t> evaluate(const Dim& dim, const SymbolValues& symbols);
std::optional<std::vector<std::int64_t>> evaluate(const Shape& shape, const SymbolValues& symbols);

// Bytes of a dense tensor.
Dim bytes_of(const TensorSpec& spec);
std::int64_t item_bytes(ir::DType dtype); // of the storage type for what is smaller than a byte

} // namespace hidet::graph
