// SPDX-License-Identifier: Apache-2.0
// Divides a model among processes: of each operator they compute parts, and exchange what others need (split/).
#include <algorithm>

#include "compiler/graph/passes/passes.h"
#include "compiler/graph/split/divide.h"

namespace hidet::graph {

namespace {

// Why all processes compute all of it.
std::string why_whole(const Chosen& chosen, NodeId id, const Node& node, std::int64_t count) {
    if (!can_share(node.op->id))
        return cat(node.op->name, " is not an operator that is split");
    if (!chosen.more.at(id))
        return cat("no axis that it can be split along is a multiple of ", count);
    return "to exchange its parts takes longer than to compute it whole";
}

PlacementRecord record_of(const Chosen& chosen, NodeId id, const Node& node, std::int64_t count) {
    const Way& way = chosen.ways.at(id);
    return {node.name, node.op->name, text_of(way.result),
            way.is_shared() ? std::string() : why_whole(chosen, id, node, count)};
}

bool exchanges_by_itself(const Graph& graph) {
    return std::ranges::any_of(graph.topological(), [&](const NodeId id) { return graph.node(id).op->exchanges; });
}

} // namespace

void split_tensors(PassState& state) {
    const Processes& processes = state.options.processes;
    if (processes.count <= 1)
        return;
    if (exchanges_by_itself(state.graph))
        throw OpError("the model exchanges tensors with other processes by itself: it is not divided once more");
    const Chosen chosen = choose_ways(state.graph, state.options.target, processes.count);
    for (const NodeId id : state.graph.topological())
        state.record.placements.push_back(record_of(chosen, id, state.graph.node(id), processes.count));
    Divided divided = divide(state.graph, chosen, {processes.count, processes.rank});
    for (auto& [before, after] : divided.made)
        if (!after.empty())
            state.record.matches.push_back({"split-tensors", {before}, std::move(after), {}});
    state.record.split_bytes = divided.constant_bytes;
}

} // namespace hidet::graph
