// SPDX-License-Identifier: Apache-2.0
// Computes the graphs of processes that share a model, all of them in this one.
#pragma once

#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// Numbers of groups: 0 is all processes; 1 those of a replica, whose ranks follow each other; 2 those at one place of each
// replica; from here on those of two: the ranks 0 and 1, 1 and 2, and so on.
constexpr std::int64_t first_pair = 3;

// Each graph up to its next exchange, then the exchanges whose processes are all there. Throws std::runtime_error where one of
// them comes to another exchange, or two have other results. The results of the first one.
std::vector<lang::TensorRef> compute_together(const std::vector<Graph>& graphs,
                                              const std::vector<lang::TensorRef>& inputs);

} // namespace hidet::graph
