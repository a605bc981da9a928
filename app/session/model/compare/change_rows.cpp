// SPDX-License-Identifier: Apache-2.0
// What passes have changed, as rows of a tree of groups.
#include <algorithm>

#include "app/session/model/compare/graph_changes.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string called(const GraphNode& node) {
    return node.name.empty() ? node.op : node.name;
}

class ChangeTree {
public:
    ChangeTree(const ModelSnapshot& snapshot, std::size_t from, std::size_t to, const GroupingOptions& grouping)
        : m_before(*snapshot.graphs[from]), m_after(*snapshot.graphs[to]), m_boxes(m_after.boxes(grouping)),
          m_changes(changes_between(snapshot, from, to)),
          m_folded(folded(m_changes, *m_boxes, m_before.boxes(grouping).get())), m_groups(m_boxes->groups.size()),
          m_nodes(m_groups.size()), m_gone(m_groups.size()) {
        for (std::uint32_t i = 1; i < m_groups.size(); ++i)
            m_groups[m_boxes->drawn.groups[i].parent].push_back(i);
        for (std::size_t i = 0; i < m_boxes->boxes.size(); ++i)
            if (m_boxes->boxes[i].kind == BoxKind::Operator)
                m_nodes[m_boxes->drawn.nodes[i].group].push_back(m_boxes->boxes[i].node);
        for (std::size_t i = 0; i < m_changes.gone.size(); ++i)
            m_gone[m_folded.home[i]].push_back(m_changes.gone[i]);
    }

    const GraphChanges& changes() const { return m_changes; }
    std::vector<ChangeRow> rows(int depth) {
        m_most = depth;
        add_inside(0, 0);
        return std::move(m_rows);
    }

private:
    void add_group(std::uint32_t group, std::uint32_t depth) {
        if (!m_folded.groups[group].any())
            return;
        ChangeRow row;
        row.depth = depth;
        row.change = "group";
        row.name = m_boxes->groups[group].name;
        row.count = m_boxes->groups[group].count;
        row.counts = m_folded.groups[group];
        m_rows.push_back(std::move(row));
        if (m_most < 0 || static_cast<int>(depth) < m_most)
            add_inside(group, depth + 1);
    }
    void add_inside(std::uint32_t group, std::uint32_t depth) {
        for (const std::uint32_t node : m_nodes[group])
            if (const PairState state = m_changes.state_of(node); state != PairState::Same)
                add(*m_after.node(node), state, depth);
        for (const std::uint32_t node : m_gone[group])
            add(*m_before.node(node), PairState::Gone, depth);
        for (const std::uint32_t inner : m_groups[group])
            add_group(inner, depth);
    }
    void add(const GraphNode& node, PairState state, std::uint32_t depth) {
        ChangeRow row;
        row.depth = depth;
        row.change = state == PairState::New ? "new" : state == PairState::Gone ? "gone" : "changed";
        row.name = called(node);
        row.op = node.op;
        row.rule = state == PairState::New ? node.rule : "";
        const ModelGraph& other = state == PairState::Gone ? m_after : m_before;
        if (const auto partners = m_changes.partners.find(node.id); partners != m_changes.partners.end())
            for (const std::uint32_t partner : partners->second)
                if (const GraphNode* found = other.node(partner))
                    row.partners.push_back(called(*found));
        m_rows.push_back(std::move(row));
    }

    const ModelGraph& m_before;
    const ModelGraph& m_after;
    const std::shared_ptr<const GraphBoxes> m_boxes;
    const GraphChanges m_changes;
    const FoldedChanges m_folded;
    std::vector<std::vector<std::uint32_t>> m_groups, m_nodes, m_gone; // in each group
    int m_most = -1;
    std::vector<ChangeRow> m_rows;
};

// The place of a graph in the snapshot; no_id: there is none, which is told.
std::size_t find_graph(const ModelSnapshot& snapshot, const std::string& pass, ModelChanges& out) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < snapshot.graphs.size(); ++i) {
        names.push_back(snapshot.graphs[i]->pass);
        if (snapshot.graphs[i]->pass == pass)
            return i;
    }
    const std::string problem =
        cat("there is no graph after '", pass, "'; of this model there are '", join(names, "', '"), "'");
    out.diagnostics.push_back(view_of(Diagnostic::make(DiagId::BadValue, {}, problem), SourceMap{}));
    out.status = Status::WrongUsage;
    return no_id;
}

} // namespace

ModelChanges model_changes(const ModelChangesRequest& request) {
    ModelViewRequest view;
    static_cast<ModelRequest&>(view) = request;
    view.plans = false;
    const SnapshotPtr snapshot = view_model(view);
    ModelChanges out;
    static_cast<Outcome&>(out) = *snapshot;
    if (snapshot->status != Status::Ok || snapshot->graphs.empty())
        return out;
    const std::size_t to = request.to.empty() ? snapshot->graphs.size() - 1 : find_graph(*snapshot, request.to, out);
    if (to == no_id)
        return out;
    const std::size_t from =
        request.from.empty() ? std::max<std::size_t>(to, 1) - 1 : find_graph(*snapshot, request.from, out);
    if (from == no_id)
        return out;
    GroupingOptions grouping;
    grouping.by_kernel = request.by_kernel;
    ChangeTree tree(*snapshot, std::min(from, to), std::max(from, to), grouping);
    const auto describe = [&](std::size_t graph, std::string& title, std::size_t& nodes) {
        title = snapshot->graphs[graph]->title;
        nodes = snapshot->graphs[graph]->nodes.size();
    };
    describe(std::min(from, to), out.from, out.from_nodes);
    describe(std::max(from, to), out.to, out.to_nodes);
    out.total = tree.changes().total;
    out.rows = tree.rows(request.depth);
    return out;
}

std::string changes_text(const ModelChanges& changes) {
    const std::string counts = counts_text(changes.total);
    std::string out = cat(changes.from, " to ", changes.to, ": ", changes.from_nodes, " operators became ",
                          changes.to_nodes, counts.empty() ? ", none is another\n" : cat(" (", counts, ")\n"));
    for (const ChangeRow& row : changes.rows) {
        out += std::string(2 * row.depth + 2, ' ');
        if (row.change == "group") {
            out += cat(row.name, row.count > 1 ? cat(" (", row.count, " blocks)") : "", ": ", counts_text(row.counts),
                       "\n");
            continue;
        }
        out += row.change == "new" ? "+ " : row.change == "gone" ? "- " : "~ ";
        out += row.name == row.op ? row.op : cat(row.op, " ", row.name);
        if (!row.partners.empty())
            out += cat(row.change == "gone" ? ", now in " : ", made of ", join(row.partners, ", "));
        out += (row.rule.empty() ? "" : cat(" [", row.rule, "]")) + "\n";
    }
    return out;
}

} // namespace hidet::session
