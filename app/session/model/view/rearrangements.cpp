// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/rearrangements.h"

#include <algorithm>

#include "compiler/graph/document/costs.h"
#include "compiler/ir/ops.h"

namespace hidet::session {

using namespace graph;

namespace {

// Operators without inputs make elements; all others of the class move them.
bool only_moves(const Graph& graph, const std::vector<NodeId>& nodes) {
    return !nodes.empty() && std::ranges::all_of(nodes, [&](NodeId id) {
        const Node& node = graph.node(id);
        return node.op->cls == OpClass::Transform && !node.inputs.empty();
    });
}

ModelRearrangement rearrangement_of(const Graph& graph, const std::vector<NodeId>& nodes) {
    Group group;
    group.anchor = nodes.back();
    group.nodes = nodes;
    ModelRearrangement out{graph::name_of(graph, nodes.back()), {}, {}};
    for (const NodeId node : nodes)
        if (!graph.node(node).op->shares_memory)
            out.moves.emplace_back(graph.node(node).op->name);
    if (const Dim bytes = cost_of(graph, group).bytes)
        out.bytes = ir::constant_int(bytes);
    return out;
}

} // namespace

std::vector<ModelRearrangement> rearrangements_of(const Graph& graph, const Plan& plan) {
    std::vector<ModelRearrangement> all;
    for (const StepSource& source : plan.sources)
        for (const GroupProgram::Kernel& kernel : source.kernels)
            if (!kernel.is_alternative && only_moves(graph, kernel.nodes))
                all.push_back(rearrangement_of(graph, kernel.nodes));
    return all;
}

} // namespace hidet::session
