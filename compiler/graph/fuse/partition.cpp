// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/partition.h"

#include <algorithm>

#include "compiler/graph/core/ready_order.h"
#include "compiler/graph/fuse/blockers.h"
#include "compiler/graph/fuse/group_kind.h"
#include "compiler/graph/fuse/in_place.h"
#include "compiler/graph/fuse/partitioner.h"
#include "compiler/graph/names/keys.h"
#include "lang/base/quantity.h"

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

// Groups in an order in which they can run, earlier anchors first; those in circles are left out.
std::vector<std::size_t> Partitioner::order() const {
    std::vector<Arrow> arrows;
    const auto add = [&](int from, int to) {
        if (from != no_group && to != no_group && from != to)
            arrows.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
    };
    for (NodeId id : m_order)
        for (ValueId input : m_graph.node(id).inputs)
            add(group_of(input), m_members[id.index].group);
    for (const ExtentEdge& edge : m_extent_edges)
        add(m_members[edge.definer.index].group, m_members[edge.user.index].group);
    std::vector<std::uint32_t> positions =
        transformed(m_groups, [&](const GrowingGroup& group) { return m_position[group.nodes[0].index]; });
    return ready_order(positions, arrows);
}

std::vector<NodeId> Partitioner::circular() const {
    std::vector<bool> runs(m_groups.size());
    for (std::size_t group : order())
        runs[group] = true;
    std::vector<NodeId> anchors;
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        if (!runs[i])
            anchors.push_back(m_groups[i].nodes[0]);
    return anchors;
}

FusionBlocker Partitioner::reason_between(NodeId producer, NodeId consumer, ValueId value) {
    if (!m_is_enabled)
        return FusionBlocker::Disabled;
    if (!fuses(producer) || !fuses(consumer))
        return FusionBlocker::NeverFuses;
    if (const auto said = m_choices.forbidden(producer, consumer))
        return *said;
    if (is_view(producer) || is_view(consumer))
        return FusionBlocker::View;
    if (is_anchor(producer) && is_anchor(consumer))
        return FusionBlocker::TwoAnchors;
    const Member& member = m_members[producer.index];
    if (member.refused && member.role != Role::Epilogue)
        return *member.refused;
    const NodeId anchor = m_groups[static_cast<std::size_t>(member.group)].nodes[0];
    if (!is_anchor(consumer) && is_anchor(anchor) && member.role != Role::Prologue)
        if (const auto refused = epilogue_blocker(member.group, value, consumer, Readers::Several))
            return *refused;
    if (m_graph.is_output(value))
        return FusionBlocker::GraphOutput;
    if (m_graph.value(value).uses.size() > 1)
        return FusionBlocker::SeveralReaders;
    return m_graph.node(producer).outputs.size() > 1 ? FusionBlocker::SeveralOutputs : FusionBlocker::AlreadyTaken;
}

// With the times that decided.
Blocker Partitioner::blocker_between(NodeId producer, NodeId consumer, ValueId value) {
    Blocker blocker = blocker_of(m_graph, producer, consumer, value, reason_between(producer, consumer, value));
    if (blocker.reason == FusionBlocker::Slower)
        blocker.text += " (" + m_choices.of(producer, consumer)->measured + ")";
    if (blocker.reason == FusionBlocker::Recomputed && m_target) {
        Member member;
        measure_prologue(producer, member);
        const int group = m_members[consumer.index].group;
        auto times = late_for_attention(m_groups[static_cast<std::size_t>(group)].nodes[0], producer);
        if (!times)
            times = fusion_times(m_graph, producer, member.cost, member.evaluations, *m_target);
        if (times)
            blocker.text += " (predicted: " + time_text(times->again) + ", and " + time_text(times->kept) + ")";
    }
    return blocker;
}

Partition Partitioner::result() {
    Partition partition;
    for (std::size_t index : order()) {
        std::vector<NodeId> nodes = m_groups[index].nodes;
        Group group;
        group.anchor = nodes[0];
        std::ranges::sort(nodes, {}, [&](NodeId id) { return m_position[id.index]; });
        for (NodeId id : nodes)
            group.roles.push_back(m_members[id.index].role);
        group.nodes = std::move(nodes);
        partition.groups.push_back(std::move(group));
    }
    for (NodeId id : m_order)
        for (ValueId input : m_graph.node(id).inputs) {
            const NodeId producer = m_graph.value(input).producer;
            if (producer.valid() && m_members[producer.index].group != m_members[id.index].group)
                partition.blockers.push_back(blocker_between(producer, id, input));
        }
    return partition;
}

static Partition grown(const Graph& graph, const FusionChoices& choices) {
    std::vector<bool> single_exit;
    while (true) {
        Partitioner partitioner(graph, choices, single_exit);
        partitioner.grow();
        const std::vector<NodeId> circular = partitioner.circular();
        if (circular.empty())
            return partitioner.result();
        // The second time, all of them: two rounds at most, whatever the graph.
        const bool again = !single_exit.empty();
        single_exit.resize(graph.node_slots(), again);
        if (again)
            single_exit.assign(graph.node_slots(), true);
        for (NodeId anchor : circular)
            single_exit[anchor.index] = true;
    }
}

// Edges that were to be fused and are not, taken out of the choices: what was set aside for them would cost a kernel.
static std::vector<Blocker> take_unheeded(const Graph& graph, const std::vector<Blocker>& blockers,
                                          FusionChoices& choices) {
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

bool is_host(const Graph& graph, const Group& group) {
    return !graph.node(group.anchor).task;
}

bool is_view(const Graph& graph, const Group& group) {
    return std::ranges::all_of(group.nodes, [&](NodeId node) { return graph.node(node).op->shares_memory; });
}

bool has_epilogue(const Group& group) {
    return std::ranges::find(group.roles, Role::Epilogue) != group.roles.end();
}

Partition partition(const Graph& graph, const FusionChoices& asked) {
    FusionChoices choices = asked;
    std::vector<Blocker> unheeded;
    while (true) {
        Partition found = grown(graph, choices);
        std::vector<Blocker> more;
        if (choices.enabled && !choices.edges.empty())
            more = take_unheeded(graph, found.blockers, choices);
        unheeded.insert(unheeded.end(), more.begin(), more.end());
        if (!more.empty())
            continue;
        for (const Blocker& reason : unheeded) // why it could not be, rather than why it is not by itself
            for (Blocker& blocker : found.blockers)
                if (blocker.producer == reason.producer && blocker.consumer == reason.consumer)
                    blocker = reason;
        order_in_place(graph, found);
        return found;
    }
}

} // namespace hidet::graph
