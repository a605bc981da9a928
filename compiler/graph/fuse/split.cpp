// SPDX-License-Identifier: Apache-2.0
// Operators are computed again where two pieces need them: all but the anchor are injective, so that is always right.
#include "compiler/graph/fuse/split.h"

#include <algorithm>

#include "compiler/graph/fuse/blockers.h"

namespace hidet::graph {

namespace {

using Nodes = std::set<NodeId>;

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

} // namespace

Split split(const Piece& piece, const std::vector<Unfusable>& unfusable) {
    return Splitter(piece, unfusable).run();
}

} // namespace hidet::graph
