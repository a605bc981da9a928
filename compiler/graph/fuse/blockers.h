// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

// The blocker in words: the operators by name, the tensor by type, and why.
std::string condition_of(const Graph& graph, const Blocker& blocker); // why, alone
Blocker blocker_of(const Graph& graph, NodeId producer, NodeId consumer, ValueId value, FusionBlocker reason);

} // namespace hidet::graph
