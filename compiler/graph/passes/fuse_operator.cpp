// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

void fuse_operator(PassState& state) {
    state.partition = partition(state.graph, state.options.fusion);
    for (const Group& group : state.partition.groups)
        if (group.nodes.size() > 1)
            state.record.matches.push_back({"fuse-operator", group.nodes, group.nodes, {}});
}

} // namespace hidet::graph
