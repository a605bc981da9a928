// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/instruments.h"

#include <cstdio>
#include <map>

#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/print_graph.h"

namespace hidet::graph {

void SavedGraphs::after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) {
    ++m_passes;
    if (!record.matches.empty())
        save(std::to_string(m_passes) + "_" + pass.name, graph);
}

void SavedGraphs::save(std::string name, const Graph& graph) {
    m_graphs.push_back({std::move(name), print_graph(graph, {.known = &m_hashes}), netron_json(graph)});
}

std::string profile_text(const std::vector<PassRecord>& records) {
    std::string text;
    for (const PassRecord& record : records) {
        char line[128];
        std::snprintf(line, sizeof line, "%-24s %10.2f ms %8zu", record.pass.c_str(), record.milliseconds,
                      record.matches.size());
        text += line;
        text += record.is_on ? "" : "  off";
        std::map<std::string, std::size_t> counts;
        for (const Match& match : record.matches)
            if (match.rule != record.pass)
                ++counts[match.rule];
        for (const auto& [rule, count] : counts)
            text += "  " + rule + " " + std::to_string(count);
        text += "\n";
    }
    return text;
}

} // namespace hidet::graph
