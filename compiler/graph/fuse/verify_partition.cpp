// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/verify_partition.h"

#include <algorithm>

#include "compiler/graph/core/extent_edges.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

class PartitionVerifier {
public:
    PartitionVerifier(const Graph& graph, const Partition& partition) : m_graph(graph), m_partition(partition) {}

    std::vector<std::string> run() {
        m_is_done.resize(m_graph.node_slots());
        for (const ExtentEdge& edge : extent_edges(m_graph))
            m_definers.push_back(edge);
        for (std::size_t i = 0; i < m_partition.groups.size(); ++i)
            check_group(m_partition.groups[i], cat("group ", i));
        for (std::uint32_t i = 0; i < m_graph.node_slots(); ++i)
            require(!m_graph.is_live({i}) || m_is_done[i], cat("node ", i), "no group computes it");
        for (const Blocker& blocker : m_partition.blockers)
            check_blocker(blocker);
        return std::move(m_violations);
    }

private:
    void require(bool holds, const std::string& where, std::string_view what) {
        if (!holds)
            m_violations.push_back(cat(where, ": ", what));
    }
    bool is_live(NodeId id) const { return id.index < m_graph.node_slots() && m_graph.is_live(id); }

    void check_group(const Group& group, const std::string& where) {
        require(group.roles.size() == group.nodes.size(), where, "it has not as many roles as nodes");
        require(std::ranges::count(group.nodes, group.anchor) == 1, where, "its anchor is not one of its nodes");
        for (std::size_t i = 0; i < group.nodes.size(); ++i) {
            const NodeId id = group.nodes[i];
            require(is_live(id), where, cat("there is no node ", id.index));
            if (!is_live(id))
                continue;
            const bool is_anchor = i < group.roles.size() && group.roles[i] == Role::Anchor;
            const bool is_of_part = std::ranges::find(group.parts, id, &Group::anchor) != group.parts.end();
            require(is_anchor == (id == group.anchor || is_of_part), where, "the roles name another anchor");
            check_reads(id, where);
            m_is_done[id.index] = true;
        }
    }
    void check_reads(NodeId id, const std::string& where) {
        for (const ValueId input : m_graph.node(id).inputs) {
            const NodeId producer = m_graph.value(input).producer;
            require(!producer.valid() || m_is_done[producer.index], where,
                    cat("node ", id.index, " runs before node ", producer.index, ", which it reads"));
        }
        for (const ExtentEdge& edge : m_definers)
            require(edge.user != id || m_is_done[edge.definer.index], where,
                    cat("node ", id.index, " runs before node ", edge.definer.index, ", which finds out its extents"));
    }
    void check_blocker(const Blocker& blocker) {
        require(is_live(blocker.producer) && is_live(blocker.consumer), "blockers", "a node of an edge is gone");
        require(blocker.value.index < m_graph.value_slots(), "blockers", "the value of an edge is none");
    }

    const Graph& m_graph;
    const Partition& m_partition;
    std::vector<bool> m_is_done; // by node
    std::vector<ExtentEdge> m_definers;
    std::vector<std::string> m_violations;
};

} // namespace

std::vector<std::string> verify(const Graph& graph, const Partition& partition) {
    return PartitionVerifier(graph, partition).run();
}

} // namespace hidet::graph
