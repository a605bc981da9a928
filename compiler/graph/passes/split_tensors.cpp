// SPDX-License-Identifier: Apache-2.0
// Divides a model among processes: of each operator they compute parts, or each computes some of the operators, and they
// exchange what others need (split/).
#include <algorithm>

#include "compiler/graph/names/keys.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/split/divide.h"
#include "compiler/graph/split/stages.h"

namespace hidet::graph {

namespace {

struct AskedDivision {
    std::int64_t count = 1;
    AskedPlaces asked = {};
};

// Why all processes compute all of it.
std::string why_whole(const Chosen& chosen, NodeId id, const Node& node, const AskedDivision& division) {
    if (division.asked.contains(id))
        return "it was asked for";
    if (!can_share(node.op->id))
        return cat(node.op->name, " is not an operator that is split");
    if (!chosen.more.at(id))
        return cat("no axis that it can be split along is a multiple of ", division.count);
    return "to exchange its parts takes longer than to compute it whole";
}

PlacementRecord record_of(const Chosen& chosen, NodeId id, const Node& node, const AskedDivision& division) {
    const Way& way = chosen.ways.at(id);
    return {node.name, node.op->name, text_of(way.result),
            way.is_shared() ? std::string() : why_whole(chosen, id, node, division), id};
}

bool exchanges_by_itself(const Graph& graph) {
    return std::ranges::any_of(graph.topological(), [&](const NodeId id) { return graph.node(id).op->exchanges; });
}

AskedPlaces asked_in(const PassState& state) {
    AskedPlaces asked;
    if (state.options.placements.empty())
        return asked;
    const NodeKeys keys(state.graph);
    for (const NodeChoice& choice : state.options.placements)
        if (const NodeId node = keys.find(choice.node); node.valid())
            asked[node] = choice.what;
    return asked;
}

class MeshDivision {
public:
    explicit MeshDivision(PassState& state) : m_state(state), m_processes(state.options.processes) {}

    void by_batch() {
        const std::int64_t count = m_processes.replicas;
        if (count <= 1)
            return;
        const Chosen chosen = choose_batch(m_state.graph, m_state.options.target, count);
        for (const auto& [id, way] : chosen.ways)
            m_state.record.in_batch += way.is_shared();
        if (m_processes.in_replica() == 1)
            note(chosen, {count});
        m_divided = divide(m_state.graph, chosen,
                           {count, m_processes.rank / m_processes.in_replica(), m_processes.batch_group});
    }
    void by_operators(const AskedPlaces& asked) {
        const std::int64_t count = m_processes.in_replica();
        if (count <= 1)
            return;
        const AskedDivision division{count, of_parts(asked)};
        const Chosen chosen = choose_ways(m_state.graph, m_state.options.target, count, division.asked);
        note(chosen, division);
        m_divided = both(std::move(m_divided),
                         divide(m_state.graph, chosen,
                                {count, m_processes.rank % m_processes.in_replica(), m_processes.replica_group}));
    }
    Divided take() { return std::move(m_divided); }

private:
    // What computes a part of the batch in an operator's place is asked for what that was.
    AskedPlaces of_parts(const AskedPlaces& asked) const {
        AskedPlaces now;
        for (const auto& [id, what] : asked) {
            const auto made = m_divided.made.find(id);
            const bool is_alone = made == m_divided.made.end() || made->second.empty();
            now[is_alone ? id : made->second.back()] = what;
        }
        return now;
    }
    void note(const Chosen& chosen, const AskedDivision& division) {
        for (const NodeId id : m_state.graph.topological())
            if (!m_state.graph.node(id).op->exchanges)
                m_state.record.placements.push_back(record_of(chosen, id, m_state.graph.node(id), division));
    }

    PassState& m_state;
    const Processes& m_processes;
    Divided m_divided;
};

Divided by_stages(PassState& state) {
    const Processes& processes = state.options.processes;
    Stages stages = choose_stages(state.graph, state.options.target, processes.stages);
    std::vector<PlacementRecord>& records = state.record.placements;
    for (const NodeId id : state.graph.topological())
        records.push_back(
            {state.graph.node(id).name, state.graph.node(id).op->name, text_of(stages, state.graph, id), {}, id});
    const int parts = processes.parts > 0 ? processes.parts : processes.stages;
    Batches batches = parts > 1 ? divide_batch(state.graph, state.options.target, parts) : Batches();
    if (processes.parts > 1 && batches.of.empty())
        throw OpError("the batch has no ", parts, " equal parts, or an operator wants all of it");
    for (PlacementRecord& record : records)
        if (batches.divided.made.contains(record.id))
            record.placement += cat(", in ", parts, " parts of the batch");
    follow(stages, state.graph, batches);
    return both(std::move(batches.divided),
                keep_stage(state.graph, stages, {processes.rank, processes.group_before, processes.group_behind}));
}

Divided by_mesh(PassState& state, const AskedPlaces& asked) {
    MeshDivision dividing(state);
    dividing.by_batch();
    dividing.by_operators(asked);
    return dividing.take();
}

} // namespace

void split_tensors(PassState& state) {
    if (state.options.processes.count <= 1)
        return;
    if (exchanges_by_itself(state.graph))
        throw OpError("the model exchanges tensors with other processes by itself: it is not divided once more");
    const AskedPlaces asked = asked_in(state);
    const bool is_pipeline = state.options.processes.stages > 1;
    if (is_pipeline && !asked.empty())
        throw OpError("an operator is placed where processes share it, and stages of a pipeline share none");
    Divided divided = is_pipeline ? by_stages(state) : by_mesh(state, asked);
    for (auto& [before, after] : divided.made)
        if (!after.empty())
            state.record.matches.push_back({"split-tensors", {before}, std::move(after), {}});
}

} // namespace hidet::graph
