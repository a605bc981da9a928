// SPDX-License-Identifier: Apache-2.0
// What an operator is called beyond one view of its model: after the operator of the imported graph that it came from. So
// what is noted of it is found again after other passes, after an edit elsewhere in the model, and in another session.
#pragma once

#include "app/session/model/view/model_view.h"

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

class NodeOrigins {
public:
    explicit NodeOrigins(SnapshotPtr snapshot);

    const SnapshotPtr& snapshot() const { return m_snapshot; }
    // Operators of the imported graph, in its order; of one that a pass made from nothing none.
    std::vector<std::uint32_t> origins_of(std::uint32_t node) const;
    NodeAnchor anchor_of(std::uint32_t node) const; // of a node of any of the graphs
    // In that graph if it is there, else in the last one that has it. Of several that came from the same operator the one
    // of the anchor's own name, or else of its kind, or the first.
    AnchoredNode find(const NodeAnchor& anchor, int shown) const;

private:
    const GraphNode* node(std::uint32_t id) const; // of any graph
    std::uint32_t best_in(const ModelGraph& graph, const std::vector<std::uint32_t>& candidates,
                          const NodeAnchor& anchor) const;
    std::vector<std::uint32_t> heirs_of(std::uint32_t node) const; // and itself

    SnapshotPtr m_snapshot;
    std::unordered_map<std::uint32_t, const GraphNode*> m_nodes; // of all graphs
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_heirs;
    std::unordered_map<std::string_view, std::uint32_t> m_by_key; // imported ones, and then those that came from none
};

} // namespace hidet::session
