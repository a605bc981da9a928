// SPDX-License-Identifier: Apache-2.0
// What an operator is called beyond one view of its model: after the operator of the imported graph that it came from. So
// what is noted of it is found again after other passes, after an edit elsewhere in the model, and in another session.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "app/session/model/view/model_view.h"
#include "lang/base/ranges.h"

namespace hidet::session {

struct NodeAnchor {
    std::string key;      // of the imported operator that it came from; of one that came from none its own
    std::string name, op; // of the operator itself
    friend bool operator==(const NodeAnchor&, const NodeAnchor&) = default;
};

struct AnchoredNode {
    std::uint32_t node = no_id; // none: no graph has what the anchor is about
    int graph = -1;             // place of a graph that has it
};

// All that `next_of` leads to from a node, and the node itself, each once, the nearest first.
std::vector<std::uint32_t> reached_from(std::uint32_t start, const auto& next_of) {
    std::vector<std::uint32_t> out = {start};
    std::unordered_set<std::uint32_t> seen = {start};
    for (std::size_t at = 0; at < out.size(); ++at)
        for (const std::uint32_t next : next_of(out[at]))
            if (seen.insert(next).second)
                out.push_back(next);
    return out;
}

// Of all graphs of a snapshot, which outlives it.
class SnapshotNodes {
public:
    explicit SnapshotNodes(const ModelSnapshot& snapshot) {
        std::unordered_set<const GraphNode*> seen; // nodes that a pass left alone are shared between graphs
        for (const auto& graph : snapshot.graphs)
            for (const auto& node : graph->nodes)
                if (seen.insert(node.get()).second) {
                    m_known.try_emplace(node->id, node.get());
                    m_all.push_back(node.get());
                }
    }

    const std::vector<const GraphNode*>& all() const { return m_all; } // of some ids several
    const GraphNode* find(std::uint32_t id) const {
        const auto found = m_known.find(id);
        return found == m_known.end() ? nullptr : found->second;
    }
    // The node itself, what it replaced, and what that had replaced, of which no graph need have all; nothing behind those of
    // which `ends` says so.
    std::vector<std::uint32_t> origins_of(const GraphNode& node, const auto& ends) const {
        static const std::vector<std::uint32_t> none;
        return reached_from(node.id, [&](std::uint32_t at) -> const std::vector<std::uint32_t>& {
            const GraphNode* known = at == node.id ? &node : find(at);
            return known && !ends(*known) ? known->replaces : none;
        });
    }

private:
    std::vector<const GraphNode*> m_all;
    std::unordered_map<std::uint32_t, const GraphNode*> m_known;
};

class NodeOrigins {
public:
    explicit NodeOrigins(SnapshotPtr snapshot) : m_snapshot(std::move(snapshot)), m_nodes(*m_snapshot) {
        for (const GraphNode* node : m_nodes.all())
            for (const std::uint32_t old : node->replaces)
                if (old != node->id)
                    m_heirs[old].push_back(node->id);
        if (m_snapshot->graphs.empty())
            return;
        for (const auto& node : m_snapshot->graphs.front()->nodes)
            m_by_key.try_emplace(node->key, node->id);
        for (const auto& graph : m_snapshot->graphs)
            for (const auto& node : graph->nodes)
                if (node->replaces.empty())
                    m_by_key.try_emplace(node->key, node->id);
    }

    const SnapshotPtr& snapshot() const { return m_snapshot; }
    // Operators of the imported graph, in its order; of one that a pass made from nothing none.
    std::vector<std::uint32_t> origins_of(std::uint32_t id) const {
        const GraphNode* known = m_nodes.find(id);
        if (!known)
            return {};
        const ModelGraph& import = *m_snapshot->graphs.front();
        const auto is_imported = [&](const GraphNode& node) { return import.node(node.id) != nullptr; };
        std::vector<std::uint32_t> out =
            those_in(m_nodes.origins_of(*known, is_imported),
                     [&](const std::uint32_t each) { return import.node(each) != nullptr; });
        std::ranges::sort(out);
        return out;
    }

    // of a node of any of the graphs
    NodeAnchor anchor_of(std::uint32_t id) const {
        const GraphNode* known = m_nodes.find(id);
        if (!known)
            return {};
        const std::vector<std::uint32_t> origins = origins_of(id);
        return {origins.empty() ? known->key : m_snapshot->graphs.front()->node(origins.front())->key, known->name,
                known->op};
    }

    // In that graph if it is there, else in the last one that has it. Of several that came from the same operator the one
    // of the anchor's own name, or else of its kind, or the first.
    AnchoredNode find(const NodeAnchor& anchor, int shown) const {
        const auto origin = m_by_key.find(anchor.key);
        if (origin == m_by_key.end())
            return {};
        const std::vector<std::uint32_t> candidates = heirs_of(origin->second);
        const int count = static_cast<int>(m_snapshot->graphs.size());
        const auto in = [&](int graph) {
            return AnchoredNode{best_in(*m_snapshot->graphs[static_cast<std::size_t>(graph)], candidates, anchor),
                                graph};
        };
        if (shown >= 0 && shown < count)
            if (const AnchoredNode here = in(shown); here.node != no_id)
                return here;
        for (int graph = count - 1; graph >= 0; --graph)
            if (const AnchoredNode there = in(graph); there.node != no_id)
                return there;
        return {};
    }

private:
    std::uint32_t best_in(const ModelGraph& graph, const std::vector<std::uint32_t>& candidates,
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

    // and itself
    std::vector<std::uint32_t> heirs_of(std::uint32_t id) const {
        static const std::vector<std::uint32_t> none;
        return reached_from(id, [&](std::uint32_t at) -> const std::vector<std::uint32_t>& {
            const auto heirs = m_heirs.find(at);
            return heirs == m_heirs.end() ? none : heirs->second;
        });
    }

    SnapshotPtr m_snapshot;
    SnapshotNodes m_nodes;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_heirs;
    std::unordered_map<std::string_view, std::uint32_t> m_by_key; // imported ones, and then those that came from none
};

} // namespace hidet::session
