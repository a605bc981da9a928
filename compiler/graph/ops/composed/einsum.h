// SPDX-License-Identifier: Apache-2.0
// Einstein's convention as matrix products: operands are multiplied in pairs, from the left, and each pair keeps the indices
// that are still needed. What is no product of matrices (diagonals, dots, extents that broadcast, one operand) is the
// operator Einsum.
#pragma once

#include <string>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

ValueId einsum(Graph& graph, const std::string& equation, const std::vector<ValueId>& operands,
               const NodeOrigin& origin = {});

} // namespace hidet::graph
