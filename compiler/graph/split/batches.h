// SPDX-License-Identifier: Apache-2.0
// Parts of the batch that operators of their own compute, so that stages of a pipeline work on different ones at one time.
#pragma once

#include "compiler/graph/split/divide.h"

namespace hidet::graph {

struct Batches {
    std::map<NodeId, std::int64_t>
        of; // of the operators that compute one; the first one comes first. Empty: the batch is one
    std::map<NodeId, NodeId> replaced; // what each of them computes a part of
    Divided divided;
};

// In place. The batch stays one where it is no multiple of the count, or some operator wants all of it.
Batches divide_batch(Graph& graph, const artifact::TargetSpec& target, std::int64_t count);

} // namespace hidet::graph
