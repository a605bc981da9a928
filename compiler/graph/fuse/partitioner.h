// SPDX-License-Identifier: Apache-2.0
// Groups as they grow: growth.cpp says how, partition.cpp what becomes of them.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/graph/core/extent_edges.h"
#include "compiler/graph/fuse/fusion_times.h"
#include "compiler/graph/fuse/measure.h"
#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

constexpr int no_group = -1;

enum class Readers : std::uint8_t { One, Several };

// A place of an element in the anchor's result, for each axis of a tensor that follows from it.
struct Place {
    ValueId root; // of the anchor
    ir::ExprVec indices;
};

struct Member {
    int group = no_group;
    Role role = Role::Anchor;
    // Of a prologue: how deep in the anchor's expression it stands, how often its text and its value are asked for.
    double depth = 0;
    double copies = 1;
    double evaluations = 0;
    int cost = 0;
    bool feeds_anchor = false;
    std::optional<FusionBlocker> refused; // by the group that would have taken it as a prologue
};

struct Readership { // of a value: by whom of those that have a group
    int group = no_group;
    bool is_mixed = false;
    std::uint32_t count = 0;
};

struct GrowingGroup {
    std::vector<NodeId> nodes;
    std::unordered_set<std::uint32_t> operands; // values that others make
    double size = 0;
    bool may_have_several = true; // readers of its tensors
};

// What was decided about edges, by the nodes themselves.
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

class Partitioner {
public:
    Partitioner(const Graph& graph, const FusionChoices& choices, std::vector<bool> single_exit);

    void grow();
    Partition result();
    // Anchors of groups that wait for each other in a circle; empty when there is an order.
    std::vector<NodeId> circular() const;

private:
    // ---- facts ------------------------------------------------------------------------------------------------------
    const Task& task(NodeId id) const { return *m_graph.node(id).task; }
    const TaskMeasure& measured(NodeId id);
    bool fuses(NodeId id) const { return m_graph.node(id).task && !m_graph.node(id).op->never_fuses; }
    bool is_free(NodeId id) const { return m_members[id.index].group == no_group; }
    bool is_anchor(NodeId id) const { return !fuses(id) || !task(id).is_injective() || task(id).implementation; }
    bool is_view(NodeId id) const { // a group of its own
        const GrowingGroup& group = m_groups[static_cast<std::size_t>(m_members[id.index].group)];
        return m_graph.node(id).op->shares_memory && group.nodes.size() == 1;
    }
    int group_of(ValueId value) const {
        const NodeId producer = m_graph.value(value).producer;
        return producer.valid() ? m_members[producer.index].group : no_group;
    }
    bool is_made_of_several(NodeId id);
    std::optional<FusionTimes> late_for_attention(NodeId anchor, NodeId producer);
    bool is_worth_it(const Member& member, NodeId producer, double elements) const;
    void reserve_forced();

    bool is_too_large(int group, NodeId id, double size, double depth) const;

    // ---- growth -----------------------------------------------------------------------------------------------------
    int start(NodeId anchor);
    void join(NodeId id, int group, Role role);
    void grow_epilogues(int group, Readers readers, bool forced_only);
    std::optional<FusionBlocker> epilogue_blocker(int group, ValueId value, NodeId user, Readers readers);
    bool comes_too_late(int group, NodeId user) const;
    bool is_only_way_out(int group, NodeId user) const;
    bool meets_at_one_place(int group, NodeId user);
    void grow_prologues(int group);
    void take_prologue(int group, NodeId producer);
    void grow_widening_casts();
    void grow_floats_of_bytes();
    NodeId next_step(NodeId id) const;
    void release_views();
    bool has_readers_in(int group, const Node& producer) const;
    std::optional<FusionBlocker> prologue_blocker(int group, NodeId producer);
    void measure_prologue(NodeId producer, Member& member);
    const Place& place_of(ValueId value);

    // ---- result -----------------------------------------------------------------------------------------------------
    std::vector<std::size_t> order() const;
    FusionBlocker reason_between(NodeId producer, NodeId consumer, ValueId value);
    Blocker blocker_between(NodeId producer, NodeId consumer, ValueId value);

    const Graph& m_graph;
    const EdgeChoices m_choices;
    const bool m_is_enabled;
    const artifact::TargetSpec* const m_target; // a GPU; null: times are not predicted
    std::vector<bool> m_single_exit;            // by node, anchors
    std::vector<NodeId> m_order;
    std::vector<ExtentEdge> m_extent_edges;
    std::vector<std::uint32_t> m_position; // by node, in m_order
    std::vector<Member> m_members;         // by node
    std::vector<Readership> m_readers;     // by value
    std::vector<GrowingGroup> m_groups;
    std::unordered_map<std::uint32_t, TaskMeasure> m_measures;
    std::unordered_map<std::uint32_t, Place> m_places; // by value
    std::vector<bool> m_is_reserved;                   // by node: a forced prologue, which no epilogue takes
};

} // namespace hidet::graph
