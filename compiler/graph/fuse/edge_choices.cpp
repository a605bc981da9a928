// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/edge_choices.h"

#include <algorithm>

#include "compiler/graph/names/keys.h"

namespace hidet::graph {

static std::uint64_t edge_key(NodeId producer, NodeId consumer) {
    return static_cast<std::uint64_t>(producer.index) << 32 | consumer.index;
}

EdgeChoices::EdgeChoices(const Graph& graph, const FusionChoices& choices) {
    if (choices.edges.empty())
        return;
    const NodeKeys keys(graph);
    for (const FusionChoices::Edge& edge : choices.edges) {
        const NodeId producer = keys.find(edge.producer), consumer = keys.find(edge.consumer);
        if (producer.valid() && consumer.valid())
            m_edges[edge_key(producer, consumer)] = &edge;
    }
}

const FusionChoices::Edge* EdgeChoices::of(NodeId producer, NodeId consumer) const {
    const auto found = m_edges.find(edge_key(producer, consumer));
    return found == m_edges.end() ? nullptr : found->second;
}

std::optional<FusionBlocker> EdgeChoices::forbidden(NodeId producer, NodeId consumer) const {
    const FusionChoices::Edge* said = of(producer, consumer);
    if (!said || said->fuse)
        return std::nullopt;
    return said->measured.empty() ? FusionBlocker::Forbidden : FusionBlocker::Slower;
}

bool EdgeChoices::is_forced(NodeId producer, NodeId consumer) const {
    const FusionChoices::Edge* said = of(producer, consumer);
    return said && said->fuse;
}

std::vector<Blocker> take_unheeded(const Graph& graph, const std::vector<Blocker>& blockers, FusionChoices& choices) {
    std::vector<Blocker> out;
    const NodeKeys keys(graph);
    std::erase_if(choices.edges, [&](const FusionChoices::Edge& edge) {
        const NodeId producer = keys.find(edge.producer), consumer = keys.find(edge.consumer);
        const auto blocker = std::ranges::find_if(blockers, [&](const Blocker& each) {
            return edge.fuse && each.producer == producer && each.consumer == consumer;
        });
        if (blocker == blockers.end())
            return false;
        out.push_back(*blocker);
        return true;
    });
    return out;
}

} // namespace hidet::graph
