// SPDX-License-Identifier: Apache-2.0
// Operators evaluated on tensors whose elements are expressions: how the shape arithmetic of exporters vanishes.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

// A small tensor of integers (as i64 expressions, whatever their width), bools, or floats.
struct Contents {
    std::vector<std::int64_t> shape;
    Shape elements; // row-major
};

// The elements of every result; nothing when the operator has too many, or they cannot be said as expressions.
std::optional<std::vector<Contents>> fold_symbolic(const OpCall& call, const std::vector<const Contents*>& inputs);

} // namespace hidet::graph
