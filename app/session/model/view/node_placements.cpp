// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/node_placements.h"

#include "compiler/graph/core/op.h"
#include "lang/base/text.h"

namespace hidet::session {

constexpr std::uint32_t exchanged = 0, by_whole = 1, by_sums = 2, first_axis = 3;

bool is_exchange(const GraphNode& node) {
    const graph::OpInfo* op = graph::find_op(node.op);
    return op && op->exchanges;
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
    const auto has_its_own = [&](const GraphNode& each) { return m_snapshot.placements.contains(each.id); };
    for (const std::uint32_t id : m_nodes.origins_of(node, has_its_own))
        if (const auto found = m_snapshot.placements.find(id); found != m_snapshot.placements.end())
            return found->second;
    return {};
}

} // namespace hidet::session
