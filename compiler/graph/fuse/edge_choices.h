// SPDX-License-Identifier: Apache-2.0
// What was decided about edges, by the nodes themselves.
#pragma once

#include <optional>
#include <unordered_map>

#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

class EdgeChoices {
public:
    EdgeChoices(const Graph& graph, const FusionChoices& choices); // which outlive it

    bool empty() const { return m_edges.empty(); }
    const FusionChoices::Edge* of(NodeId producer, NodeId consumer) const; // null: nothing is said
    // Nothing: nobody says that the edge shall stay between two kernels.
    std::optional<FusionBlocker> forbidden(NodeId producer, NodeId consumer) const;
    bool is_forced(NodeId producer, NodeId consumer) const;

private:
    std::unordered_map<std::uint64_t, const FusionChoices::Edge*> m_edges; // by both nodes
};

// Edges that were to be fused and are not, taken out of the choices: what was set aside for them would cost a kernel.
std::vector<Blocker> take_unheeded(const Graph& graph, const std::vector<Blocker>& blockers, FusionChoices& choices);

} // namespace hidet::graph
