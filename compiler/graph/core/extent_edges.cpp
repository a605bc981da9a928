// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/extent_edges.h"

#include <map>
#include <set>

namespace hidet::graph {

namespace {

std::set<std::string> symbols_in(const Graph& graph, const Node& node) {
    std::set<std::string> names;
    const auto add = [&](const Shape& shape) {
        for (std::string& name : symbols_of(shape))
            names.insert(std::move(name));
    };
    for (ValueId output : node.outputs)
        add(graph.value(output).spec.shape);
    for (const auto& [name, value] : node.attributes.items())
        if (const auto* shape = std::get_if<Shape>(&value))
            add(*shape);
    return names;
}

} // namespace

std::vector<std::string> defined_symbols(const Graph& graph, const Node& node) {
    if (!node.op || !node.op->infer)
        return {};
    std::set<std::string> known;
    for (ValueId input : node.inputs)
        for (std::string& name : symbols_of(graph.value(input).spec.shape))
            known.insert(std::move(name));
    std::vector<std::string> defined;
    for (ValueId output : node.outputs)
        for (std::string& name : symbols_of(graph.value(output).spec.shape))
            if (known.insert(name).second)
                defined.push_back(std::move(name));
    return defined;
}

std::vector<ExtentEdge> extent_edges(const Graph& graph) {
    std::map<std::string, NodeId> definers;
    for (std::uint32_t i = 0; i < graph.node_slots(); ++i)
        for (std::string& name : defined_symbols(graph, graph.node(NodeId{i})))
            definers.emplace(std::move(name), NodeId{i});
    // A symbol of the graph's inputs is known before anything runs.
    for (ValueId input : graph.inputs)
        for (const std::string& name : symbols_of(graph.value(input).spec.shape))
            definers.erase(name);
    std::vector<ExtentEdge> edges;
    for (std::uint32_t i = 0; !definers.empty() && i < graph.node_slots(); ++i) {
        if (!graph.is_live({i}))
            continue;
        std::set<NodeId> waits_for;
        for (const std::string& name : symbols_in(graph, graph.node(NodeId{i})))
            if (const auto found = definers.find(name); found != definers.end() && found->second.index != i)
                waits_for.insert(found->second);
        for (NodeId definer : waits_for)
            edges.push_back({definer, {i}});
    }
    return edges;
}

} // namespace hidet::graph
