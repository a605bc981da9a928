// SPDX-License-Identifier: Apache-2.0
// What must hold of a partition: every operator has a kernel, and kernels run in the order of the groups.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

// One sentence for each violation; empty when the partition is one of the graph, which is well formed.
std::vector<std::string> verify(const Graph& graph, const Partition& partition);

} // namespace hidet::graph
