// SPDX-License-Identifier: Apache-2.0
// The anchor of a group is scheduled, and what is fused with it is written into its kernels. Where a schedule that somebody
// wrote uses a tensor in a way that cannot be rewritten, the group becomes several pieces in one launch function, which
// hand that tensor on through the workspace.
#include "compiler/graph/fuse/lower.h"

#include "compiler/graph/fuse/piece.h"
#include "compiler/graph/fuse/split.h"

namespace hidet::graph {

namespace {

class GroupLowering {
public:
    GroupLowering(const Graph& graph, const Group& group, const artifact::TargetSpec& target)
        : m_graph(graph), m_target(target), m_assembly(graph, group) {}

    GroupProgram run(const Group& group, const AnchorSchedule* schedule) {
        const Piece whole(m_graph, group);
        schedule ? lower(whole, *schedule) : lower(whole, by_rules(whole));
        GroupProgram program = m_assembly.finish(whole.name());
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
    return GroupLowering(graph, group, target).run(group, anchor_schedule);
}

} // namespace hidet::graph
