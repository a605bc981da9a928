// SPDX-License-Identifier: Apache-2.0
// Computes the graphs of processes that share a model, all of them in this one.
#pragma once

#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// Node by node, in all graphs at once: they differ in constants, slices and extents alone. Throws std::runtime_error where their
// operators differ, or the results of two processes. The results of the first one.
std::vector<lang::TensorRef> compute_together(const std::vector<Graph>& graphs,
                                              const std::vector<lang::TensorRef>& inputs);

} // namespace hidet::graph
