// SPDX-License-Identifier: Apache-2.0
// A barrier keeps two operators out of one kernel. When that is decided, its reader may read its input.
#include <algorithm>

#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

void eliminate_barrier(PassState& state) {
    Graph& graph = state.graph;
    for (NodeId node : graph.topological()) {
        if (!graph.node(node).is(OpId::Barrier) || graph.is_output(graph.node(node).outputs[0]))
            continue;
        graph.replace(graph.node(node).outputs[0], graph.node(node).inputs[0]);
        graph.drop_if_unused(node);
        state.record.matches.push_back({"eliminate-barrier", {node}, {}, {}});
    }
    std::erase_if(state.partition.groups, [&](const Group& group) { return !graph.is_live(group.anchor); });
    std::erase_if(state.partition.blockers, [&](const Blocker& blocker) {
        return !graph.is_live(blocker.producer) || !graph.is_live(blocker.consumer);
    });
}

} // namespace hidet::graph
