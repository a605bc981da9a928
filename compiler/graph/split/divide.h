// SPDX-License-Identifier: Apache-2.0
// Makes of a graph the part of one process.
#pragma once

#include "compiler/graph/split/choose.h"

namespace hidet::graph {

inline constexpr const char* rule_of_parts = "split-tensors";

struct Share {
    std::int64_t count = 1, rank = 0;
    std::int64_t group = 0; // of hidet.distributed, in which they exchange
};

struct Divided {
    std::map<NodeId, std::vector<NodeId>> made; // in the place of a node: what computes it, and the exchanges before
};

// What an operator that computes a part of the result has in place of an operator's attributes: an extent that one says is that
// of the part.
Attributes attributes_of_part(const Graph& graph, const Node& node, const Way& way, std::int64_t count);
// Of a slice that takes a part along an axis.
Attributes attributes_of_slice(const Graph& graph, ValueId value, std::size_t axis, const Share& share);

// Both are of one graph, the second of what the first has made of it.
Divided both(Divided first, Divided second);

// In place. All processes make the same exchanges, in one order, with those that are there already.
Divided divide(Graph& graph, const Chosen& chosen, const Share& share);

} // namespace hidet::graph
