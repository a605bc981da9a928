// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "compiler/graph/names/value_names.h"
#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/units.h"

namespace hidet::graph {

namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return result + "\"";
}

const char* colour_of(OpClass cls) {
    switch (cls) {
    case OpClass::Contraction: return "#f3c6a5";
    case OpClass::Reduction: return "#f5e3a3";
    case OpClass::Elementwise: return "#cfe3c0";
    case OpClass::Transform: return "#d5d9e6";
    case OpClass::Host: return "#e3c4d8";
    case OpClass::Other: return "#e8e8e8";
    }
    return "#e8e8e8";
}

class DotWriter {
public:
    DotWriter(const Graph& graph, const Partition* partition)
        : m_graph(graph), m_units(units_of(graph, partition)), m_names(graph, graph.topological()) {}

    std::string text() {
        m_text = "digraph " + quoted(m_graph.name.empty() ? "graph" : m_graph.name) +
                 " {\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n";
        for (ValueId input : m_graph.inputs)
            put_value(input, "#bfe3e8");
        std::size_t group = 0;
        for (const Unit& unit : m_units)
            put_unit(unit, group++);
        for (std::size_t i = 0; i < m_graph.outputs().size(); ++i) {
            const ValueId output = m_graph.outputs()[i];
            const std::string id = "result_" + std::to_string(i);
            m_text +=
                "  " + id + " [label=" + quoted(m_names.of(output)) + ", shape=ellipse, fillcolor=\"#bfe3e8\"];\n";
            put_edge(output, id);
        }
        return m_text + "}\n";
    }

private:
    static std::string id_of(NodeId node) { return "node_" + std::to_string(node.index); }
    static std::string id_of(ValueId value) { return "value_" + std::to_string(value.index); }

    void put_value(ValueId id, const char* colour) {
        m_text += "  " + id_of(id) + " [label=" + quoted(m_names.of(id) + "\n" + text_of(m_graph.value(id).spec)) +
                  ", shape=ellipse, fillcolor=\"" + colour + "\"];\n";
    }
    void put_unit(const Unit& unit, std::size_t number) {
        if (unit.is_fused())
            m_text += "  subgraph cluster_" + std::to_string(number) + " {\n  label=" + quoted(unit.name) + ";\n";
        for (NodeId node : unit.nodes)
            put_node(node);
        if (unit.is_fused())
            m_text += "  }\n";
        for (NodeId node : unit.nodes)
            put_inputs(node);
    }
    void put_node(NodeId id) {
        const Node& node = m_graph.node(id);
        std::string label = node.op->name;
        for (const auto& [name, value] : node.attributes.items())
            label += "\n" + name + "=" + text_of(value);
        m_text += "  " + id_of(id) + " [label=" + quoted(label) + ", fillcolor=\"" + colour_of(node.op->cls) + "\"];\n";
    }
    void put_inputs(NodeId id) {
        for (ValueId input : m_graph.node(id).inputs) {
            const Value& value = m_graph.value(input);
            const bool is_scalar = value.spec.shape.empty();
            if (value.is_constant() && !is_scalar && m_drawn.insert(input.index).second)
                put_value(input, "#f0f0f0");
            if (!value.is_constant() || !is_scalar)
                put_edge(input, id_of(id));
        }
    }
    void put_edge(ValueId from, const std::string& to) {
        const Value& value = m_graph.value(from);
        const std::string source = value.producer.valid() ? id_of(value.producer) : id_of(from);
        if (!value.producer.valid() && value.is_constant() && m_drawn.insert(from.index).second)
            put_value(from, "#f0f0f0");
        m_text += "  " + source + " -> " + to + " [label=" + quoted(text_of(value.spec)) + "];\n";
    }

    const Graph& m_graph;
    std::vector<Unit> m_units;
    ValueNames m_names;
    std::unordered_set<std::uint32_t> m_drawn; // constants
    std::string m_text;
};

} // namespace

std::string dot_text(const Graph& graph, const Partition* partition) {
    return DotWriter(graph, partition).text();
}

} // namespace hidet::graph
