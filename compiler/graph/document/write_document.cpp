// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "compiler/graph/document/costs.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/document/json_pieces.h"
#include "compiler/graph/document/write_parts.h"

namespace hidet::graph {

namespace {

Json ids(const std::vector<NodeId>& nodes) {
    Json result = Json::array();
    for (NodeId node : nodes)
        result.push_back(node.index);
    return result;
}

constexpr const char* role_names[] = {"anchor", "prologue", "epilogue"};

std::string matches_of(const PassRecord& record) {
    std::vector<std::string> lines;
    for (const Match& match : record.matches) {
        Json json = {{"rule", match.rule}, {"before", ids(match.before)}, {"after", ids(match.after)}};
        if (!match.note.empty())
            json["note"] = match.note;
        lines.push_back(compact(json));
    }
    return json_list(lines);
}

std::string passes_of(const DocumentParts& parts) {
    std::vector<std::string> passes;
    for (std::size_t i = 0; i < parts.optimised->records.size(); ++i) {
        const PassRecord& record = parts.optimised->records[i];
        std::string text = "{\"pass\": " + compact(record.pass) + ", \"on\": " + (record.is_on ? "true" : "false");
        if (parts.with_times)
            text += ", \"milliseconds\": " + compact(record.milliseconds);
        const auto put = [&](const char* name, const std::string& list) {
            if (list != "[]")
                text += std::string(",\n\"") + name + "\": " + list;
        };
        put("matches", matches_of(record));
        if (parts.recorder && i < parts.recorder->changes().size()) {
            const GraphChange& change = parts.recorder->changes()[i];
            put("removed", json_ids(change.removed));
            put("added", json_list(change.added));
            put("values", json_list(change.values));
            put("rewired", json_list(change.rewired));
            if (change.outputs)
                put("outputs", json_ids(*change.outputs));
        }
        passes.push_back(text + "}");
    }
    return json_list(passes);
}

std::string groups_of(const Graph& graph, const Partition& partition, const NodeKeys& keys) {
    std::vector<std::string> lines;
    for (const Group& group : partition.groups) {
        Json roles = Json::array();
        for (Role role : group.roles)
            roles.push_back(role_names[static_cast<std::size_t>(role)]);
        const NodeCost cost = cost_of(graph, group);
        lines.push_back(compact({{"key", keys.of(group.anchor)},
                                 {"anchor", group.anchor.index},
                                 {"nodes", ids(group.nodes)},
                                 {"roles", roles},
                                 {"flops", json_of_dim(cost.flops)},
                                 {"bytes", json_of_dim(cost.bytes)}}));
    }
    return json_list(lines);
}

} // namespace

std::string write_document(const DocumentParts& parts) {
    const NodeKeys keys(parts.graph);
    std::string text = "{\"format\": \"hidet-graph\", \"version\": 1,\n";
    if (parts.recorder)
        text += "\"imported\": " + parts.recorder->imported() + ",\n";
    if (parts.optimised)
        text += "\"passes\": " + passes_of(parts) + ",\n";
    text += "\"graph\": " + json_of_graph(parts.graph, keys, parts.sources);
    if (parts.optimised) {
        text += ",\n\"groups\": " + groups_of(parts.graph, parts.optimised->partition, keys);
        text += ",\n\"blockers\": " + json_of_blockers(parts.optimised->partition.blockers, keys);
    }
    for (const auto& [name, json] : parts.sections)
        text += ",\n" + compact(name) + ": " + json;
    return text + "\n}\n";
}

GraphRecorder::GraphRecorder(const Graph& imported, const SourceMap* sources)
    : m_sources(sources), m_imported(json_of_graph(imported, NodeKeys(imported), sources)),
      m_values(imported.value_slots()), m_outputs(imported.outputs()) {
    for (std::uint32_t i = 0; i < imported.node_slots(); ++i)
        m_seen.push_back({imported.is_live({i}), imported.node(NodeId{i}).inputs});
}

void GraphRecorder::after(const GraphPassInfo& pass, const Graph& graph, const PassRecord&) {
    GraphChange& change = m_changes.emplace_back();
    change.pass = pass.name;
    std::optional<NodeKeys> keys; // costs a walk of the graph
    m_seen.resize(graph.node_slots());
    for (std::uint32_t i = 0; i < graph.node_slots(); ++i) {
        const NodeId id{i};
        const bool was_live = m_seen[i].is_live;
        const bool is_live = graph.is_live(id);
        if (was_live && !is_live)
            change.removed.push_back(id);
        if (!was_live && is_live) {
            if (!keys)
                keys.emplace(graph);
            change.added.push_back(json_of_node(graph, id, *keys, m_sources));
        }
        if (was_live && is_live && m_seen[i].inputs != graph.node(id).inputs)
            change.rewired.push_back("{\"id\": " + std::to_string(i) +
                                     ", \"inputs\": " + json_ids(graph.node(id).inputs) + "}");
        m_seen[i] = {is_live, graph.node(id).inputs};
    }
    for (; m_values < graph.value_slots(); ++m_values) {
        const ValueId id{static_cast<std::uint32_t>(m_values)};
        const Value& value = graph.value(id);
        if (!value.uses.empty() || graph.is_output(id) || value.is_constant())
            change.values.push_back(json_of_value(graph, id));
    }
    if (m_outputs != graph.outputs())
        change.outputs = m_outputs = graph.outputs();
}

} // namespace hidet::graph
