// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

// The refusal in words: the operators by name, the tensor by type, and why.
Refusal refusal_of(const Graph& graph, NodeId producer, NodeId consumer, ValueId value, RefusalReason reason);

} // namespace hidet::graph
