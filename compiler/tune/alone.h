// SPDX-License-Identifier: Apache-2.0
// A kernel of a model as a model of its own, so that candidates for it are planned, run and measured like any other.
#pragma once

#include "compiler/graph/fuse/partition.h"

namespace hidet::tune {

struct GroupAlone {
    graph::Graph graph;
    graph::Partition partition; // its one group
};

// What the group reads becomes inputs, but constants stay constants.
GroupAlone alone(const graph::Graph& graph, const graph::Group& group);

} // namespace hidet::tune
