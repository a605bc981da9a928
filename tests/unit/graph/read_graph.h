// SPDX-License-Identifier: Apache-2.0
// Reads the printed form of a graph (compiler/graph/text/print_graph.h), so that tests of graphs are text. A constant whose
// elements do not stand in its comment, "[1.0, 2.0]", gets small ones that follow from its name.
#pragma once

#include <string>
#include <string_view>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

Graph read_graph(std::string_view text); // throws std::runtime_error with the line
// Small multiples of 1/8, the same for the same name.
lang::TensorRef made_up_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape, std::string_view name);

} // namespace hidet::graph
