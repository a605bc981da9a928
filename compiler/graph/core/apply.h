// SPDX-License-Identifier: Apache-2.0
// What an operator makes of operands and attributes: the one place that asks it, for who adds a node and for who reads one back.
#pragma once

#include <memory>
#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

struct Applied {
    std::shared_ptr<const Task> task; // null for host operators
    std::vector<TensorSpec> results;
};

// OpError when the operator does not take them: their number, their types, attributes, shapes; or when it would make a tensor
// that no memory holds.
Applied apply_operator(const OpInfo& op, std::vector<TensorSpec> inputs, const Attributes& attributes,
                       FreshSymbols& symbols);

// What has more is no tensor: a file could make us walk a million of them for each operator.
constexpr std::size_t most_dimensions = 128;
void check_rank(std::size_t rank); // OpError beyond

// OpError for extents that are negative or count to more elements than 64 bits do, and for too many of them.
// `what` begins the message: "Tile would make".
void check_tensor(const std::string& what, const TensorSpec& spec);

} // namespace hidet::graph
