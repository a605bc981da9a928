// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/graph_changes.h"

#include <algorithm>
#include <unordered_set>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

bool is_equal(const GraphNode& a, const GraphNode& b) {
    return &a == &b || (a.op == b.op && a.inputs == b.inputs && a.attributes == b.attributes);
}

// Nodes of later graphs that say what they replace, one step each.
class Heirs {
public:
    Heirs(const ModelSnapshot& snapshot, std::size_t from, std::size_t to) : m_last(*snapshot.graphs[to]) {
        for (std::size_t i = from + 1; i <= to; ++i)
            for (const auto& node : snapshot.graphs[i]->nodes)
                if (m_seen.insert(node->id).second)
                    for (const std::uint32_t old : node->replaces)
                        if (old != node->id)
                            m_heirs[old].push_back(node->id);
    }
    // Of the last graph.
    std::vector<std::uint32_t> of(std::uint32_t gone) const {
        std::vector<std::uint32_t> out, open = {gone};
        std::unordered_set<std::uint32_t> seen = {gone};
        while (!open.empty()) {
            const std::uint32_t next = open.back();
            open.pop_back();
            const auto heirs = m_heirs.find(next);
            if (heirs == m_heirs.end())
                continue;
            for (const std::uint32_t heir : heirs->second)
                if (seen.insert(heir).second)
                    (m_last.node(heir) ? out : open).push_back(heir);
        }
        std::ranges::sort(out);
        return out;
    }

private:
    const ModelGraph& m_last;
    std::unordered_set<std::uint32_t> m_seen;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_heirs;
};

class Folding {
public:
    Folding(const GraphBoxes& boxes, const GraphBoxes* earlier) : m_boxes(boxes), m_earlier(earlier) {
        for (std::uint32_t i = 0; i < boxes.groups.size(); ++i)
            m_group_of_key.emplace(boxes.drawn.groups[i].key, i);
    }

    std::uint32_t of_node(std::uint32_t node) const {
        const auto box = m_boxes.box_of_node.find(node);
        return box == m_boxes.box_of_node.end() ? 0 : m_boxes.drawn.nodes[box->second].group;
    }
    // The innermost group around all of them.
    std::uint32_t around(const std::vector<std::uint32_t>& nodes) const {
        std::uint32_t group = of_node(nodes.front());
        for (const std::uint32_t node : nodes) {
            const std::vector<std::uint32_t> others = chain(of_node(node));
            while (std::ranges::find(others, group) == others.end())
                group = m_boxes.drawn.groups[group].parent;
        }
        return group;
    }
    // Where the module of an operator that is gone has its group now.
    std::uint32_t of_module(std::uint32_t node) const {
        if (!m_earlier)
            return 0;
        const auto box = m_earlier->box_of_node.find(node);
        if (box == m_earlier->box_of_node.end())
            return 0;
        for (std::uint32_t group = m_earlier->drawn.nodes[box->second].group; group != 0;
             group = m_earlier->drawn.groups[group].parent)
            if (const auto same = m_group_of_key.find(m_earlier->drawn.groups[group].key); same != m_group_of_key.end())
                return same->second;
        return 0;
    }

private:
    std::vector<std::uint32_t> chain(std::uint32_t group) const {
        std::vector<std::uint32_t> out = {group};
        for (; group != 0; out.push_back(group))
            group = m_boxes.drawn.groups[group].parent;
        return out;
    }

    const GraphBoxes& m_boxes;
    const GraphBoxes* m_earlier;
    std::unordered_map<drawing::Key, std::uint32_t> m_group_of_key;
};

} // namespace

void ChangeCounts::count(PairState state) {
    added += state == PairState::New;
    gone += state == PairState::Gone;
    changed += state == PairState::Changed;
}

ChangeCounts& ChangeCounts::operator+=(const ChangeCounts& other) {
    added += other.added;
    gone += other.gone;
    changed += other.changed;
    return *this;
}

std::string counts_text(const ChangeCounts& counts) {
    std::vector<std::string> parts;
    if (counts.added > 0)
        parts.push_back(cat("+", counts.added));
    if (counts.gone > 0)
        parts.push_back(cat("-", counts.gone));
    if (counts.changed > 0)
        parts.push_back(cat("~", counts.changed));
    return join(parts, " ");
}

PairState GraphChanges::state_of(std::uint32_t node) const {
    const auto found = states.find(node);
    return found == states.end() ? PairState::Same : found->second;
}

GraphChanges changes_between(const ModelSnapshot& snapshot, std::size_t from, std::size_t to) {
    const ModelGraph &before = *snapshot.graphs[from], &after = *snapshot.graphs[to];
    GraphChanges out;
    for (const auto& node : after.nodes) {
        const GraphNode* was = before.node(node->id);
        const PairState state = !was ? PairState::New : is_equal(*was, *node) ? PairState::Same : PairState::Changed;
        if (state == PairState::Same)
            continue;
        out.states[node->id] = state;
        out.total.count(state);
    }
    const Heirs heirs(snapshot, from, to);
    for (const auto& node : before.nodes) {
        if (after.node(node->id))
            continue;
        out.gone.push_back(node->id);
        out.total.count(PairState::Gone);
        for (const std::uint32_t heir : heirs.of(node->id)) {
            out.partners[node->id].push_back(heir);
            out.partners[heir].push_back(node->id);
        }
    }
    return out;
}

FoldedChanges folded(const GraphChanges& changes, const GraphBoxes& boxes, const GraphBoxes* earlier) {
    const Folding folding(boxes, earlier);
    FoldedChanges out;
    out.groups.resize(boxes.groups.size());
    for (const auto& [node, state] : changes.states)
        out.groups[folding.of_node(node)].count(state);
    for (const std::uint32_t node : changes.gone) {
        const auto partners = changes.partners.find(node);
        const bool has_heirs = partners != changes.partners.end();
        out.home.push_back(has_heirs ? folding.around(partners->second) : folding.of_module(node));
        out.groups[out.home.back()].count(PairState::Gone);
    }
    for (std::size_t i = boxes.groups.size(); i-- > 1;) // parents come before
        out.groups[boxes.drawn.groups[i].parent] += out.groups[i];
    return out;
}

} // namespace hidet::session
