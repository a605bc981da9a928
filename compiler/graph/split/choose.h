// SPDX-License-Identifier: Apache-2.0
// Chooses how each operator is shared by the processes of a model.
#pragma once

#include <map>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/split/placement.h"

namespace hidet::graph {

struct Chosen {
    std::map<NodeId, Way> ways;  // of all nodes
    std::map<NodeId, bool> more; // there were others than the whole one
};

using AskedPlaces = std::map<NodeId, std::string>; // as text_of() says them, sections left out

// The same on all processes: it depends on the graph, the target, the count and what is asked for alone. An OpError where that
// cannot be.
Chosen choose_ways(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count,
                   const AskedPlaces& asked = {});
// Each process computes a part of the batch, which is the first dimension of the inputs, as far as operators allow, and has all
// constants.
Chosen choose_batch(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count);
// Likewise where nothing is exchanged: what reads a part has the same part. Nothing: that cannot be.
Chosen choose_batch_alone(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count);

} // namespace hidet::graph
