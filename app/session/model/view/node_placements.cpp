// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/node_placements.h"

#include <unordered_set>

#include "lang/base/text.h"

namespace hidet::session {

constexpr std::uint32_t exchanged = 0, by_whole = 1, by_sums = 2, first_axis = 3;

NodePlacements::NodePlacements(const ModelSnapshot& snapshot) : m_snapshot(snapshot) {
    for (const auto& graph : snapshot.graphs)
        for (const auto& node : graph->nodes)
            m_known.try_emplace(node->id, node.get());
}

bool NodePlacements::is_exchange(const GraphNode& node) {
    return node.op == "AllReduce" || node.op == "AllGather" || node.op == "ReduceScatter" || node.op == "AllToAll" ||
           node.op == "BroadcastFrom";
}

std::optional<std::uint32_t> NodePlacements::number_of(const GraphNode& node) const {
    if (is_exchange(node))
        return exchanged;
    constexpr std::string_view split = "split along ";
    const std::string placement = of(node);
    if (placement.empty())
        return std::nullopt;
    if (placement.starts_with(split))
        return first_axis + static_cast<std::uint32_t>(std::atoi(placement.c_str() + split.size()));
    return placement == "whole" ? by_whole : by_sums;
}

std::string NodePlacements::name_of(std::uint32_t number) {
    switch (number) {
    case exchanged: return "Exchange";
    case by_whole: return "Whole";
    case by_sums: return "Partial sums";
    default: return cat("Split along ", number - first_axis);
    }
}

std::string NodePlacements::of(const GraphNode& node) const {
    if (const auto own = m_snapshot.placements.find(node.id); own != m_snapshot.placements.end())
        return own->second;
    std::unordered_set<std::uint32_t> seen;
    std::vector<std::uint32_t> open = node.replaces;
    while (!open.empty()) {
        const std::uint32_t id = open.back();
        open.pop_back();
        if (const auto found = m_snapshot.placements.find(id); found != m_snapshot.placements.end())
            return found->second;
        if (const auto old = m_known.find(id); old != m_known.end() && seen.insert(id).second)
            open.insert(open.end(), old->second->replaces.begin(), old->second->replaces.end());
    }
    return {};
}

} // namespace hidet::session
