// SPDX-License-Identifier: Apache-2.0
// How each operator of a model that several processes share is divided among them.
#pragma once

#include "app/session/model/view/node_origins.h"

namespace hidet::session {

bool is_exchange(const GraphNode& node); // with other processes

class NodePlacements {
public:
    explicit NodePlacements(const ModelSnapshot& snapshot) : m_snapshot(snapshot), m_nodes(snapshot) {}

    // By which it is classified: an exchange, whole, partial sums, then split along each axis; nothing: it has no placement.
    std::optional<std::uint32_t> number_of(const GraphNode& node) const;
    static std::string name_of(std::uint32_t number);

private:
    // "whole", "split along 1", "partial sums": its own, or that of what it came from; "": it has none.
    std::string of(const GraphNode& node) const;

    const ModelSnapshot& m_snapshot;
    const SnapshotNodes m_nodes;
};

} // namespace hidet::session
