// SPDX-License-Identifier: Apache-2.0
// A pipeline: each process computes operators that follow each other, and sends the next one what that or a later one reads.
// What is given to the model all of them have, and all of them get its results.
#pragma once

#include <map>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/split/batches.h"

namespace hidet::graph {

struct Stages {
    int count = 1;
    std::map<NodeId, int> of; // of all nodes
    // By each stage but the last to the one behind it, in the order of their making.
    std::vector<std::vector<ValueId>> sent;
    std::map<NodeId, std::int64_t> batches; // of those that compute a part of the batch: what comes first is sent first
};

// Such that the largest stage takes least, with what it sends, or hardly longer where fewer bytes are sent so. The same on all
// processes: it depends on the graph, the target and the count alone. An OpError where that cannot be.
Stages choose_stages(const Graph& graph, const artifact::TargetSpec& target, int count);

// "stage 0, sends 64 KiB to stage 1"
std::string text_of(const Stages& stages, const Graph& graph, NodeId node);

// The batch has been divided in the graph.
void follow(Stages& stages, const Graph& graph, const Batches& batches);

struct StagePlace {
    int stage = 0;
    std::int64_t group_before = 0,
                 group_behind = 0; // of hidet.distributed: this stage and its neighbour, if it has one
};

// Makes of the graph that of one stage.
Divided keep_stage(Graph& graph, const Stages& stages, const StagePlace& place);

} // namespace hidet::graph
