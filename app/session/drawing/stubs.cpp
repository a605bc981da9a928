// SPDX-License-Identifier: Apache-2.0
#include "app/session/drawing/stubs.h"

#include <map>

#include "app/session/drawing/ranks.h"

namespace hidet::drawing {

using Value = std::pair<std::uint32_t, std::uint32_t>; // node, output

std::vector<char> edges_to_cut(const FlatGraph& graph, const CutLimits& limits, const FlatOptions& flat) {
    std::vector<char> is_cut = edges_of_cycles(graph);
    if (limits.most_consumers > 0) {
        std::map<Value, std::uint32_t> consumers;
        for (const FlatEdge& edge : graph.edges)
            ++consumers[{edge.from, edge.output}];
        for (std::size_t i = 0; i < graph.edges.size(); ++i)
            if (consumers[{graph.edges[i].from, graph.edges[i].output}] > limits.most_consumers)
                is_cut[i] = 1;
    }
    if (limits.longest > 0 && graph.nodes.size() > limits.longest) {
        const std::vector<std::uint32_t> layers = assign_layers(graph, is_cut, flat);
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            const FlatEdge& edge = graph.edges[i];
            if (layers[edge.to] > layers[edge.from] + limits.longest)
                is_cut[i] = 1;
        }
    }
    return is_cut;
}

// A node that reads one thing besides what was cut stands straight below it: or a chain would drift to one side.
static void center_only_edges(FlatGraph& graph) {
    constexpr std::size_t none = SIZE_MAX;
    constexpr std::size_t several = SIZE_MAX - 1;
    std::vector<std::size_t> only(graph.nodes.size(), none);
    std::vector<char> has_stub(graph.nodes.size(), 0);
    for (const FlatEdge& edge : graph.edges)
        if (graph.nodes[edge.from].is_stub)
            has_stub[edge.to] = 1;
        else
            only[edge.to] = only[edge.to] == none || only[edge.to] == edge.input ? edge.input : several;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        FlatNode& node = graph.nodes[i];
        if (has_stub[i] && only[i] < node.inputs && node.input_at.empty() && !node.has_free_ports)
            for (std::size_t port = 0; port < node.inputs; ++port)
                node.input_at.push_back(offset_around(node.size.width, only[i], port, node.inputs));
    }
}

CutGraph cut(const FlatGraph& graph, const std::vector<char>& is_cut, Size stub) {
    CutGraph result;
    result.graph.nodes = graph.nodes;
    result.first_stub = static_cast<std::uint32_t>(graph.nodes.size());
    const auto add = [&](std::uint32_t node, std::uint32_t edge, bool is_source) {
        FlatNode added;
        added.size = stub;
        added.inputs = is_source;
        added.outputs = !is_source;
        added.is_stub = true;
        result.graph.nodes.push_back(added);
        result.stubs.push_back({node, edge, is_source});
        return static_cast<std::uint32_t>(result.graph.nodes.size() - 1);
    };
    std::map<Value, std::uint32_t> sources;
    for (std::uint32_t i = 0; i < graph.edges.size(); ++i) {
        const FlatEdge& edge = graph.edges[i];
        if (!is_cut[i]) {
            result.graph.edges.push_back(edge);
            result.edge_of.push_back(i);
            continue;
        }
        const auto [source, is_new] = sources.try_emplace({edge.from, edge.output}, 0);
        if (is_new) {
            source->second = add(edge.from, i, true);
            result.graph.edges.push_back({edge.from, source->second, edge.output, 0});
            result.edge_of.push_back(i);
        }
        result.graph.edges.push_back({add(edge.to, i, false), edge.to, 0, edge.input});
        result.edge_of.push_back(i);
    }
    center_only_edges(result.graph);
    return result;
}

} // namespace hidet::drawing
