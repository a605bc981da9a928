// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/piece.h"

#include <algorithm>

namespace hidet::graph {

namespace {

constexpr std::size_t longest_name = 64;

} // namespace

Piece::Piece(const Graph& graph, Group group) : m_graph(graph), m_group(std::move(group)) {
    for (std::size_t i = 0; i < m_group.nodes.size(); ++i)
        m_roles[m_group.nodes[i]] = m_group.roles[i];
}

std::optional<Role> Piece::role_of(NodeId id) const {
    const auto found = m_roles.find(id);
    return found == m_roles.end() ? std::nullopt : std::optional(found->second);
}

bool Piece::has_producer(ValueId value, Role role) const {
    const NodeId producer = m_graph.value(value).producer;
    return producer.valid() && role_of(producer) == role;
}

bool Piece::has_epilogue(ValueId value) const {
    return std::ranges::any_of(m_graph.value(value).uses,
                               [&](const Use& use) { return role_of(use.node) == Role::Epilogue; });
}

bool Piece::is_needed_outside(ValueId value) const {
    return m_graph.is_output(value) || !std::ranges::all_of(m_graph.value(value).uses, [&](const Use& use) {
               return role_of(use.node).has_value();
           });
}

std::vector<std::size_t> Piece::live_outputs() const {
    std::vector<std::size_t> live;
    for (std::size_t i = 0; i < anchor().outputs.size(); ++i) {
        const ValueId output = anchor().outputs[i];
        if (m_graph.is_output(output) || !m_graph.value(output).uses.empty())
            live.push_back(i);
    }
    return live;
}

std::string Piece::name() const {
    std::string name;
    std::size_t named = 0;
    for (NodeId id : m_group.nodes) {
        const std::string& next = m_graph.node(id).task->name;
        if (name.size() + next.size() > longest_name)
            break;
        name += (name.empty() ? "" : "_") + next;
        ++named;
    }
    const std::size_t rest = m_group.nodes.size() - named;
    return rest == 0 ? name : name + "_and_" + std::to_string(rest) + "_more";
}

} // namespace hidet::graph
