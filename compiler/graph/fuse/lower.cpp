// SPDX-License-Identifier: Apache-2.0
// The anchor of a group is scheduled, and what is fused with it is written into its kernels. Where a schedule that somebody
// wrote uses a tensor in a way that cannot be rewritten, the group becomes several pieces in one launch function, which
// hand that tensor on through the workspace.
#include "compiler/graph/fuse/lower.h"

#include <algorithm>

#include "compiler/graph/fuse/blockers.h"
#include "compiler/graph/fuse/early_launch.h"
#include "compiler/graph/fuse/in_place.h"
#include "compiler/graph/fuse/join_launches.h"
#include "compiler/graph/fuse/piece.h"

namespace hidet::graph {

namespace {

// What becomes of a piece when a tensor of its anchor cannot be fused: several pieces, with that tensor between them.
struct Split {
    std::vector<Group> before; // prologues, in order
    Group rest;
    std::vector<Group> after; // epilogues, in order
    std::vector<Blocker> blockers;
};

using Nodes = std::set<NodeId>;

// Operators are computed again where two pieces need them: all but the anchor are injective, so that is always right.
class Splitter {
public:
    Splitter(const Piece& piece, const std::vector<Unfusable>& unfusable) : m_piece(piece), m_unfusable(unfusable) {}

    Split run() {
        Split result;
        for (const Unfusable& each : m_unfusable) {
            const NodeId anchor = m_piece.group().anchor;
            if (each.is_input) {
                const NodeId producer = graph().value(each.value).producer;
                add_unique(result.before, around(producer));
                result.blockers.push_back(blocker_of(graph(), producer, anchor, each.value, each.reason));
                continue;
            }
            for (const Use& use : graph().value(each.value).uses)
                if (m_piece.role_of(use.node) == Role::Epilogue)
                    result.blockers.push_back(blocker_of(graph(), anchor, use.node, each.value, each.reason));
        }
        const Nodes rest = nodes_of_rest();
        result.rest = group_of(m_piece.group().anchor, rest);
        for (NodeId id : m_piece.group().nodes)
            if (m_piece.role_of(id) == Role::Epilogue && !rest.contains(id))
                result.after.push_back(around(id));
        return result;
    }

private:
    const Graph& graph() const { return m_piece.graph(); }
    bool is_unfusable(ValueId value) const {
        return std::ranges::any_of(m_unfusable, [&](const Unfusable& each) { return each.value == value; });
    }
    static void add_unique(std::vector<Group>& groups, Group group) {
        if (std::ranges::none_of(groups, [&](const Group& other) { return other.anchor == group.anchor; }))
            groups.push_back(std::move(group));
    }

    // A node with the prologues that it needs.
    void add_with_prologues(NodeId id, Nodes& nodes, bool is_anchor) const {
        if (!nodes.insert(id).second)
            return;
        for (ValueId input : graph().node(id).inputs)
            if (m_piece.is_prologue(input) && !(is_anchor && is_unfusable(input)))
                add_with_prologues(graph().value(input).producer, nodes, false);
    }
    Group around(NodeId anchor) const {
        Nodes nodes;
        add_with_prologues(anchor, nodes, false);
        return group_of(anchor, nodes);
    }
    // The anchor, and the epilogues that follow from tensors that can be fused.
    Nodes nodes_of_rest() const {
        Nodes nodes;
        std::set<ValueId> made;
        add_with_prologues(m_piece.group().anchor, nodes, true);
        for (ValueId output : m_piece.anchor().outputs)
            if (!is_unfusable(output))
                made.insert(output);
        for (NodeId id : m_piece.group().nodes) {
            const Node& node = graph().node(id);
            const bool follows = m_piece.role_of(id) == Role::Epilogue &&
                                 std::ranges::any_of(node.inputs, [&](ValueId input) { return made.contains(input); });
            if (!follows)
                continue;
            made.insert(node.outputs.begin(), node.outputs.end());
            add_with_prologues(id, nodes, false);
        }
        return nodes;
    }
    Group group_of(NodeId anchor, const Nodes& nodes) const {
        Group group;
        group.anchor = anchor;
        for (NodeId id : m_piece.group().nodes) {
            if (!nodes.contains(id))
                continue;
            group.nodes.push_back(id);
            group.roles.push_back(id == anchor                            ? Role::Anchor
                                  : m_piece.role_of(id) == Role::Epilogue ? Role::Epilogue
                                                                          : Role::Prologue);
        }
        return group;
    }

    const Piece& m_piece;
    const std::vector<Unfusable>& m_unfusable;
};

Split split(const Piece& piece, const std::vector<Unfusable>& unfusable) {
    return Splitter(piece, unfusable).run();
}

class LoweredGroup {
public:
    LoweredGroup(const Graph& graph, const Group& group, const artifact::TargetSpec& target)
        : m_graph(graph), m_target(target), m_assembly(graph, group) {}

    GroupProgram run(const Group& group, const AnchorSchedule* schedule) {
        const Piece whole(m_graph, group);
        for (const Group& part : group.parts)
            lower_by_rules(part);
        if (group.parts.empty())
            schedule ? lower(whole, *schedule) : lower(whole, by_rules(whole));
        GroupProgram program = m_assembly.finish(whole.name());
        write_in_place(m_graph, group.in_place, program);
        if (!group.parts.empty())
            join_launches(program);
        program.module = with_early_launches(program.module, m_target);
        program.schedule = schedule ? schedule->name : "";
        program.blockers = std::move(m_blockers);
        return program;
    }

private:
    AnchorProgram by_rules(const Piece& piece) { return schedule_anchor(piece, m_target, m_assembly); }

    void lower(const Piece& whole, const AnchorSchedule& schedule) {
        const auto as_chosen = [&] { lower(whole, prepare_schedule(whole, schedule, m_target, m_assembly)); };
        if (!schedule.condition)
            return as_chosen();
        m_assembly.choose(schedule.condition, as_chosen, [&] {
            schedule.otherwise ? lower(whole, *schedule.otherwise) : lower(whole, by_rules(whole));
        });
    }
    void lower(const Piece& piece, const AnchorProgram& program) {
        const std::vector<Unfusable> unfusable = find_unfusable(piece, program);
        if (unfusable.empty())
            return fuse_into(m_assembly, piece, program);
        const Split parts = split(piece, unfusable);
        m_blockers.insert(m_blockers.end(), parts.blockers.begin(), parts.blockers.end());
        for (const Group& group : parts.before)
            lower_by_rules(group);
        fuse_into(m_assembly, Piece(m_graph, parts.rest), program);
        for (const Group& group : parts.after)
            lower_by_rules(group);
    }
    void lower_by_rules(const Group& group) {
        const Piece piece(m_graph, group);
        lower(piece, by_rules(piece));
    }

    const Graph& m_graph;
    const artifact::TargetSpec& m_target;
    Assembly m_assembly;
    std::vector<Blocker> m_blockers;
};

} // namespace

GroupProgram lower_group(const Graph& graph, const Group& group, const artifact::TargetSpec& target,
                         const AnchorSchedule* anchor_schedule) {
    return LoweredGroup(graph, group, target).run(group, anchor_schedule);
}

} // namespace hidet::graph
