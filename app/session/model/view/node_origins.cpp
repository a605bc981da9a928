// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/node_origins.h"

#include <algorithm>
#include <unordered_set>

namespace hidet::session {

namespace {

// All that `next_of` leads to from a node, and the node itself, each once.
std::vector<std::uint32_t> reached_from(std::uint32_t start, const auto& next_of) {
    std::vector<std::uint32_t> out = {start};
    std::unordered_set<std::uint32_t> seen = {start};
    for (std::size_t at = 0; at < out.size(); ++at)
        for (const std::uint32_t next : next_of(out[at]))
            if (seen.insert(next).second)
                out.push_back(next);
    return out;
}

} // namespace

NodeOrigins::NodeOrigins(SnapshotPtr snapshot) : m_snapshot(std::move(snapshot)) {
    std::unordered_set<const GraphNode*> seen; // nodes that a pass left alone are shared between graphs
    for (const auto& graph : m_snapshot->graphs)
        for (const auto& node : graph->nodes) {
            if (!seen.insert(node.get()).second)
                continue;
            m_nodes.try_emplace(node->id, node.get());
            for (const std::uint32_t old : node->replaces)
                if (old != node->id)
                    m_heirs[old].push_back(node->id);
        }
    if (m_snapshot->graphs.empty())
        return;
    for (const auto& node : m_snapshot->graphs.front()->nodes)
        m_by_key.try_emplace(node->key, node->id);
    for (const auto& graph : m_snapshot->graphs)
        for (const auto& node : graph->nodes)
            if (node->replaces.empty())
                m_by_key.try_emplace(node->key, node->id);
}

const GraphNode* NodeOrigins::node(std::uint32_t id) const {
    const auto found = m_nodes.find(id);
    return found == m_nodes.end() ? nullptr : found->second;
}

std::vector<std::uint32_t> NodeOrigins::origins_of(std::uint32_t id) const {
    if (m_snapshot->graphs.empty())
        return {};
    static const std::vector<std::uint32_t> none;
    const ModelGraph& import = *m_snapshot->graphs.front();
    std::vector<std::uint32_t> out;
    const auto replaced_by = [&](std::uint32_t at) -> const std::vector<std::uint32_t>& {
        const GraphNode* known = node(at);
        return known && !import.node(at) ? known->replaces : none;
    };
    for (const std::uint32_t each : reached_from(id, replaced_by))
        if (import.node(each))
            out.push_back(each);
    std::ranges::sort(out);
    return out;
}

NodeAnchor NodeOrigins::anchor_of(std::uint32_t id) const {
    const GraphNode* known = node(id);
    if (!known)
        return {};
    const std::vector<std::uint32_t> origins = origins_of(id);
    return {origins.empty() ? known->key : m_snapshot->graphs.front()->node(origins.front())->key, known->name,
            known->op};
}

std::vector<std::uint32_t> NodeOrigins::heirs_of(std::uint32_t id) const {
    static const std::vector<std::uint32_t> none;
    return reached_from(id, [&](std::uint32_t at) -> const std::vector<std::uint32_t>& {
        const auto heirs = m_heirs.find(at);
        return heirs == m_heirs.end() ? none : heirs->second;
    });
}

std::uint32_t NodeOrigins::best_in(const ModelGraph& graph, const std::vector<std::uint32_t>& candidates,
                                   const NodeAnchor& anchor) const {
    std::uint32_t best = no_id;
    int most = -1;
    for (const std::uint32_t id : candidates) {
        const GraphNode* here = graph.node(id);
        const int fits = !here ? -1 : 2 * (here->op == anchor.op) + (here->name == anchor.name);
        if (fits > most) {
            most = fits;
            best = id;
        }
    }
    return best;
}

AnchoredNode NodeOrigins::find(const NodeAnchor& anchor, int shown) const {
    const auto origin = m_by_key.find(anchor.key);
    if (origin == m_by_key.end())
        return {};
    const std::vector<std::uint32_t> candidates = heirs_of(origin->second);
    const int count = static_cast<int>(m_snapshot->graphs.size());
    const auto in = [&](int graph) {
        return AnchoredNode{best_in(*m_snapshot->graphs[static_cast<std::size_t>(graph)], candidates, anchor), graph};
    };
    if (shown >= 0 && shown < count)
        if (const AnchoredNode here = in(shown); here.node != no_id)
            return here;
    for (int graph = count - 1; graph >= 0; --graph)
        if (const AnchoredNode there = in(graph); there.node != no_id)
            return there;
    return {};
}

} // namespace hidet::session
