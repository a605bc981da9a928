// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "compiler/graph/passes/passes.h"
#include "compiler/graph/text/contents.h"

namespace hidet::graph {

namespace {

bool is_same_computation(const Graph& graph, NodeId a, NodeId b) {
    const Node& x = graph.node(a);
    const Node& y = graph.node(b);
    const auto is_same = [](const auto& p, const auto& q) {
        return p.first == q.first && same_attribute(p.second, q.second);
    };
    if (x.op != y.op || x.inputs != y.inputs || x.outputs.size() != y.outputs.size() ||
        !std::ranges::equal(x.attributes.items(), y.attributes.items(), is_same))
        return false;
    for (std::size_t i = 0; i < x.outputs.size(); ++i) {
        const TensorSpec& p = graph.value(x.outputs[i]).spec;
        const TensorSpec& q = graph.value(y.outputs[i]).spec;
        if (p.dtype != q.dtype || !same_shape(p.shape, q.shape))
            return false; // each has symbols of its own
    }
    return true;
}

// A result of the graph keeps its name, so it is not read as another one.
bool has_results(const Graph& graph, NodeId node) {
    return std::ranges::any_of(graph.node(node).outputs, [&](ValueId output) { return graph.is_output(output); });
}

std::string description_of(const Node& node) {
    std::string text = node.op->name;
    for (ValueId input : node.inputs)
        text += " " + std::to_string(input.index);
    for (const auto& [name, value] : node.attributes.items())
        text += "\n" + name + "=" + text_of(value);
    return text;
}

void merge_constants(Graph& graph) {
    std::unordered_map<std::string, std::vector<ValueId>> by_spec;
    std::vector<std::string> specs; // in order of ids
    for (std::uint32_t i = 0; i < graph.value_slots(); ++i) {
        const Value& value = graph.value(ValueId{i});
        if (!value.is_constant() || !value.data->has_data() || value.uses.empty() || graph.is_output({i}))
            continue;
        const std::string spec = text_of(value.spec) + device_name(value.device);
        std::vector<ValueId>& same = by_spec[spec];
        if (same.empty())
            specs.push_back(spec);
        same.push_back({i});
    }
    for (const std::string& spec : specs) {
        const std::vector<ValueId>& same = by_spec[spec];
        std::unordered_map<std::string, ValueId> first;
        for (ValueId value : same)
            if (same.size() > 1)
                if (const auto [at, is_new] = first.emplace(content_hash(*graph.value(value).data), value); !is_new) {
                    graph.replace(value, at->second);
                    graph.value(value).data = nullptr;
                }
    }
}

} // namespace

void cse(PassState& state) {
    Graph& graph = state.graph;
    graph.drop_unused();
    merge_constants(graph);
    std::unordered_multimap<std::string, NodeId> seen; // looked up only
    for (NodeId node : graph.topological()) {
        if (state.is_cancelled())
            return;
        if (graph.node(node).op->is_random || graph.node(node).op->never_fuses)
            continue;
        const std::string description = description_of(graph.node(node));
        const auto [first, last] = seen.equal_range(description);
        const auto same = std::find_if(first, last, [&](const auto& each) {
            return is_same_computation(graph, each.second, node) && !has_results(graph, node);
        });
        if (same == last) {
            seen.emplace(description, node);
            continue;
        }
        for (std::size_t i = 0; i < graph.node(node).outputs.size(); ++i)
            graph.replace(graph.node(node).outputs[i], graph.node(same->second).outputs[i]);
        graph.drop_if_unused(node);
        state.record.matches.push_back({"cse", {node}, {same->second}, {}});
    }
}

} // namespace hidet::graph
