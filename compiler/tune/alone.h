// SPDX-License-Identifier: Apache-2.0
// Some operators of a model as a model of their own, so that variants of computing them are planned, run and measured like any
// other.
#pragma once

#include <map>

#include "compiler/graph/fuse/partition.h"

namespace hidet::tune {

struct OperatorsAlone {
    graph::Graph graph;
    std::map<graph::NodeId, graph::NodeId> nodes; // of the model, here

    // Groups of the model which share these operators among them, in an order in which they can run.
    graph::Partition partition(const std::vector<graph::Group>& groups) const;
};

// They are kernels, and all their extents are known.
bool can_be_alone(const graph::Graph& graph, const std::vector<graph::Group>& groups);

// What the operators read becomes inputs, but constants stay constants; what others read, or the model gives, are outputs.
OperatorsAlone alone(const graph::Graph& graph, const std::vector<graph::Group>& groups);

} // namespace hidet::tune
