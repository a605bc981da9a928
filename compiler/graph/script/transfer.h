// SPDX-License-Identifier: Apache-2.0
// Between a graph and the one that a script traces into: rules and definitions of a script are shown tensors of a graph as
// symbolic tensors of their own, constants as tensors with data, and what they make of them is added to the graph.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "compiler/graph/script/script_graphs.h"

namespace hidet::graph {

class Transfer {
public:
    // Adds an operator to the graph.
    using Add = std::function<std::vector<ValueId>(const Node& traced, std::vector<ValueId> inputs)>;

    Transfer(ScriptGraphs& graphs, Graph& graph, Add add) : m_graphs(graphs), m_graph(graph), m_add(std::move(add)) {}

    lang::Value shown(ValueId id);
    void show(NodeId node); // its results know the operator that makes them; producers first
    lang::Value operator_shown(NodeId node);

    // The value of the graph for a tensor that a script gives back; a diagnostic at `span` when it is none.
    ValueId taken(const lang::Value& tensor, Span span);
    // Those of a list or tuple, or of one tensor.
    std::vector<ValueId> all_taken(lang::Evaluator& evaluator, const lang::Value& tensors, Span span);

private:
    ValueId traced_id(ValueId id);
    ValueId copied(ValueId traced, Span span);

    ScriptGraphs& m_graphs;
    Graph& m_graph;
    const Add m_add;
    std::unordered_map<std::uint32_t, ValueId> m_traced;                // by value of the graph
    std::unordered_map<std::uint32_t, ValueId> m_known;                 // by traced value
    std::unordered_map<const lang::Tensor*, ValueId> m_known_constants; // looked up only
};

} // namespace hidet::graph
