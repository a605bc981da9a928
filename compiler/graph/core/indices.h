// SPDX-License-Identifier: Apache-2.0
// Indices that data decides. A kernel that meets one outside of what it indexes reads nothing there and goes on
// (ops/transform/take.cpp): who is asked for it looks at them first. What reaches an operator as the model's input is looked
// at before the run, what the model computes by a node of CheckIndices (passes/check_indices.cpp).
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

struct IndexLimits {
    std::vector<std::int64_t> extents; // of the coordinates in a row
    bool is_from_end = true;
    std::optional<std::int64_t> ignored;
};

// OpError says which element is outside of what: "'tokens'[0, 3] is 9, which is outside of the extent 5 that READER indexes".
void check_indices(const lang::Tensor& indices, const IndexLimits& limits, const std::string& name,
                   const std::string& reader);

// The input or the result that a value is but for its type and shape: its elements stand in the same order.
ValueId given_as(const Graph& graph, ValueId value);

// Those of an operator, whose specs are those of the tensors.
void check_indices(const OpCall& call, const std::vector<lang::TensorRef>& inputs);

} // namespace hidet::graph
