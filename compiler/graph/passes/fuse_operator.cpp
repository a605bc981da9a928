// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

void fuse_operator(PassState& state) {
    FusionChoices choices = state.options.fusion;
    choices.target = state.options.target;
    state.partition = partition(state.graph, choices);
    for (const Group& group : state.partition.groups)
        if (group.nodes.size() > 1)
            state.record.matches.push_back({"fuse-operator", group.nodes, group.nodes, {}});
}

} // namespace hidet::graph
