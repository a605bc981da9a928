// SPDX-License-Identifier: Apache-2.0
// Makes of a graph the part of one process.
#pragma once

#include "compiler/graph/split/choose.h"

namespace hidet::graph {

struct Share {
    std::int64_t count = 1, rank = 0;
    std::int64_t group = 0; // of hidet.distributed, in which they exchange
};

struct Divided {
    std::map<NodeId, std::vector<NodeId>> made; // in the place of a node: what computes it, and the exchanges before
};

// In place. All processes make the same exchanges, in one order, with those that are there already.
Divided divide(Graph& graph, const Chosen& chosen, const Share& share);

} // namespace hidet::graph
