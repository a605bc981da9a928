// SPDX-License-Identifier: Apache-2.0
// Small kernels that do not depend on each other share a launch: each of them takes as long as a launch does, whatever it
// computes. A language model that decodes a token writes keys and values into caches so, and counts its tokens.
//
// A group waits until one comes that reads what it makes, or overwrites what it reads. Nobody behind it reads what it overwrites:
// such groups come last (order_in_place).
#include <algorithm>
#include <set>

#include "compiler/graph/fuse/group_kind.h"
#include "compiler/graph/fuse/in_place.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t most_elements = 1 << 15; // of a result: then blocks of all parts run at once
constexpr std::size_t most_parts = 32;          // kernels have 4 KiB of parameters

class Sharing {
public:
    Sharing(const Graph& graph, const std::vector<NodeChoice>& templates) : m_graph(graph) {
        const NodeKeys keys(graph);
        for (const NodeChoice& choice : templates)
            if (const NodeId node = keys.find(choice.node); node.valid())
                m_chosen.insert(node);
    }

    std::vector<Group> run(std::vector<Group> groups) {
        for (Group& group : groups) {
            if (is_view(m_graph, group)) {
                (reads_made(group) ? m_views : m_out).push_back(std::move(group));
                continue;
            }
            if (is_ordered(group) || m_waiting.size() == most_parts)
                end_waiting();
            if (is_small_kernel(group))
                wait(std::move(group));
            else
                m_out.push_back(std::move(group));
        }
        end_waiting();
        return std::move(m_out);
    }

private:
    bool is_small_kernel(const Group& group) const {
        return group.schedule.empty() && !m_chosen.contains(group.anchor) &&
               std::ranges::all_of(group.nodes, [&](NodeId id) { return is_by_rules(m_graph.node(id)); }) &&
               std::ranges::all_of(results_of(group), [&](ValueId result) { return is_small(group, result); });
    }
    static bool is_by_rules(const Node& node) {
        return node.task && node.task->is_injective() && !node.task->implementation;
    }
    // Of what lies in the place of an input only a slice is written, or it is small.
    bool is_small(const Group& group, ValueId result) const {
        const auto count = ir::constant_int(element_count(m_graph.value(result).spec.shape));
        const bool is_in_place = std::ranges::find(group.in_place, result, &Updated::result) != group.in_place.end();
        return count && *count > 0 && (*count <= most_elements || is_in_place);
    }
    std::vector<ValueId> results_of(const Group& group) const {
        std::vector<ValueId> out;
        for (const NodeId id : group.nodes)
            for (const ValueId value : m_graph.node(id).outputs)
                if (m_graph.is_output(value) || std::ranges::any_of(m_graph.value(value).uses, [&](const Use& use) {
                        return std::ranges::find(group.nodes, use.node) == group.nodes.end();
                    }))
                    out.push_back(value);
        return out;
    }

    // It comes behind all that waits: it is the host's, or reads what something makes, or overwrites what something reads.
    bool is_ordered(const Group& group) const {
        return is_host(m_graph, group) || reads_made(group) ||
               std::ranges::any_of(group.in_place, [&](const Updated& each) { return m_read.contains(each.input); });
    }
    bool reads_made(const Group& group) const {
        return std::ranges::any_of(group.nodes, [&](NodeId id) {
            return std::ranges::any_of(m_graph.node(id).inputs,
                                       [&](ValueId value) { return m_made.contains(memory_of(m_graph, value)); });
        });
    }
    void wait(Group group) {
        for (const NodeId id : group.nodes)
            for (const ValueId value : m_graph.node(id).outputs)
                m_made.insert(memory_of(m_graph, value));
        for (const NodeId id : group.nodes)
            for (const ValueId value : m_graph.node(id).inputs)
                m_read.insert(memory_of(m_graph, value));
        m_waiting.push_back(std::move(group));
    }
    void end_waiting() {
        if (m_waiting.size() == 1)
            m_out.push_back(std::move(m_waiting[0]));
        else if (!m_waiting.empty())
            m_out.push_back(joined());
        std::ranges::move(m_views, std::back_inserter(m_out));
        m_views.clear();
        m_waiting.clear();
        m_made.clear();
        m_read.clear();
    }
    Group joined() {
        Group out;
        out.anchor = m_waiting.back().anchor;
        for (const Group& part : m_waiting) {
            out.nodes.insert(out.nodes.end(), part.nodes.begin(), part.nodes.end());
            out.roles.insert(out.roles.end(), part.roles.begin(), part.roles.end());
            out.in_place.insert(out.in_place.end(), part.in_place.begin(), part.in_place.end());
        }
        out.parts = std::move(m_waiting);
        return out;
    }

    const Graph& m_graph;
    std::set<NodeId> m_chosen; // somebody chose their template
    std::vector<Group> m_out, m_waiting;
    std::vector<Group> m_views; // of what waiting groups make
    std::set<ValueId> m_made;   // by what waits
    std::set<ValueId> m_read;   // likewise
};

} // namespace

void share_launches(PassState& state) {
    if (!state.options.target.is_cuda() || !state.options.fusion.enabled)
        return;
    state.partition.groups = Sharing(state.graph, state.options.templates).run(std::move(state.partition.groups));
    for (const Group& group : state.partition.groups)
        if (!group.parts.empty())
            state.record.matches.push_back({"share-launches", group.nodes, group.nodes, {}});
}

} // namespace hidet::graph
