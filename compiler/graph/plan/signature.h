// SPDX-License-Identifier: Apache-2.0
// What a group computes, as text: groups of equal signature give equal programs, up to which values of the graph they read.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

struct GroupSignature {
    std::string text;
    // In the same order for groups of equal signature: all values that the group reads or makes, and its nodes.
    std::vector<ValueId> values;
    std::vector<NodeId> nodes;
};

GroupSignature signature_of(const Graph& graph, const Group& group);
std::string task_text(const Task& task); // of an operator of the user's: all that tells it from others

} // namespace hidet::graph
