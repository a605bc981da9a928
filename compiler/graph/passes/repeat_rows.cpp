// SPDX-License-Identifier: Apache-2.0
// Attention computes with the row that a step adds to a cache, and the cache gets it, too. A kernel that makes the row for both
// would stand between the product that it is made from and the attention, for which every kernel in between takes longer than
// to move or rotate some numbers again. So attention has operators of its own for that.
#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

namespace {

constexpr std::size_t first_row = 4, end_of_rows = 6; // inputs of AttnMaskAdd
constexpr std::size_t most_nodes = 32;

bool is_repeatable(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    return node.task && node.task->is_injective() && !node.task->implementation && node.outputs.size() == 1 &&
           !graph.is_output(node.outputs[0]);
}

bool contains(const std::vector<NodeId>& nodes, NodeId id) {
    return std::ranges::find(nodes, id) != nodes.end();
}

// What makes the value from tensors that others read as well, and nothing but it: the last first.
std::vector<NodeId> made_for(const Graph& graph, NodeId last) {
    std::vector<NodeId> found = {last};
    const auto is_for_those = [&](NodeId id) {
        return std::ranges::all_of(graph.value(graph.node(id).outputs[0]).uses,
                                   [&](const Use& use) { return contains(found, use.node); });
    };
    for (std::size_t before = 0; before != found.size() && found.size() < most_nodes;) {
        before = found.size();
        for (std::size_t i = 0; i < found.size() && found.size() < most_nodes; ++i)
            for (const ValueId input : graph.node(found[i]).inputs) {
                const NodeId producer = graph.value(input).producer;
                if (producer.valid() && !contains(found, producer) && is_repeatable(graph, producer) &&
                    is_for_those(producer))
                    found.push_back(producer);
            }
    }
    return found;
}

class Repeating {
public:
    explicit Repeating(PassState& state) : m_state(state), m_graph(state.graph) {}

    void run(NodeId attention) {
        for (std::size_t i = first_row; i < end_of_rows; ++i)
            if (const auto use = shared_behind(attention, i))
                m_graph.set_input(use->node, use->input, repeated(m_graph.node(use->node).inputs[use->input]));
    }

private:
    // Where attention, or a view of its own, reads what others read as well.
    std::optional<Use> shared_behind(NodeId reader, std::size_t input) const {
        for (;;) {
            const ValueId value = m_graph.node(reader).inputs[input];
            const NodeId producer = m_graph.value(value).producer;
            if (!producer.valid() || !is_repeatable(m_graph, producer))
                return std::nullopt;
            if (m_graph.value(value).uses.size() > 1)
                return Use{reader, static_cast<std::uint32_t>(input)};
            if (!m_graph.node(producer).op->shares_memory)
                return std::nullopt;
            reader = producer;
            input = 0;
        }
    }

    ValueId repeated(ValueId value) {
        const std::vector<NodeId> nodes = made_for(m_graph, m_graph.value(value).producer);
        std::unordered_map<std::uint32_t, ValueId> made; // by value
        std::vector<NodeId> again;
        const std::function<ValueId(ValueId)> copy = [&](ValueId of) {
            const NodeId producer = m_graph.value(of).producer;
            if (!producer.valid() || !contains(nodes, producer))
                return of;
            if (const auto known = made.find(of.index); known != made.end())
                return known->second;
            const Node node = m_graph.node(producer); // adding one may move it
            std::vector<ValueId> inputs;
            for (const ValueId input : node.inputs)
                inputs.push_back(copy(input));
            NodeOrigin origin;
            origin.site = node.site;
            origin.rule = "repeat-rows";
            origin.replaces = {producer};
            const ValueId result = m_graph.add_one(*node.op, std::move(inputs), node.attributes, std::move(origin));
            again.push_back(m_graph.value(result).producer);
            return made[of.index] = result;
        };
        const ValueId result = copy(value);
        m_state.record.matches.push_back({"repeat-rows", nodes, again, {}});
        return result;
    }

    PassState& m_state;
    Graph& m_graph;
};

} // namespace

void repeat_rows(PassState& state) {
    if (!state.options.target.is_cuda() || !state.options.fusion.enabled)
        return;
    Repeating repeating(state);
    for (const NodeId node : state.graph.topological())
        if (state.graph.node(node).is(OpId::AttnMaskAdd) && state.graph.node(node).inputs.size() >= end_of_rows)
            repeating.run(node);
}

} // namespace hidet::graph
