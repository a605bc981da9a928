// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/text/print_graph.h"

#include "compiler/graph/names/value_names.h"
#include "compiler/graph/text/contents.h"
#include "compiler/graph/text/units.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t most_elements_shown = 8;

std::vector<NodeId> nodes_of(const std::vector<Unit>& units) {
    std::vector<NodeId> nodes;
    for (const Unit& unit : units)
        nodes.insert(nodes.end(), unit.nodes.begin(), unit.nodes.end());
    return nodes;
}

class GraphPrinter {
public:
    GraphPrinter(const Graph& graph, const PrintOptions& options)
        : m_graph(graph), m_options(options), m_units(units_of(graph, options.partition)),
          m_names(graph, nodes_of(m_units)) {}

    std::string text() {
        put_header();
        put_constants();
        for (const Unit& unit : m_units)
            put_unit(unit);
        std::vector<std::string> results =
            transformed(m_graph.outputs(), [&](ValueId output) { return m_names.of(output); });
        m_text += "  return " + join(results, ", ") + "\n}\n";
        return std::move(m_text);
    }

private:
    std::string type_of(ValueId id) const {
        const Value& value = m_graph.value(id);
        return text_of(value.spec) + "[" + device_name(value.device) + "]";
    }
    std::string typed(ValueId id) const { return m_names.of(id) + ": " + type_of(id); }

    void put_header() {
        std::vector<std::string> parameters = transformed(m_graph.inputs, [&](ValueId input) { return typed(input); });
        m_text += "Graph(" + join(parameters, ", ") + "){\n";
    }

    void put_constants() {
        std::vector<bool> is_done(m_graph.value_slots());
        const auto put = [&](ValueId id) {
            if (!m_graph.value(id).is_constant() || is_done[id.index])
                return;
            is_done[id.index] = true;
            m_text += "  " + m_names.of(id) + " = Constant(" + type_of(id) + ")" + comment_on(id) + "\n";
        };
        for (const Unit& unit : m_units)
            for (ValueId input : unit.inputs)
                put(input);
        for (ValueId output : m_graph.outputs())
            put(output);
    }
    std::string comment_on(ValueId constant) const {
        const lang::TensorRef& data = m_graph.value(constant).data;
        if (!data->has_data())
            return {};
        const std::string contents = short_contents(*data, most_elements_shown);
        return "  # " + (m_options.known ? m_options.known->of(data) : content_hash(*data)) +
               (contents.empty() ? "" : " " + contents);
    }

    void put_unit(const Unit& unit) {
        std::vector<std::string> results = transformed(unit.outputs, [&](ValueId output) { return typed(output); });
        std::vector<std::string> arguments = transformed(unit.inputs, [&](ValueId input) { return m_names.of(input); });
        if (unit.is_fused()) {
            arguments.push_back("fused_graph=FlowGraph(" + inner(unit) + ")");
            arguments.push_back("anchor=" + std::to_string(unit.anchor));
        } else {
            for (const auto& [name, value] : m_graph.node(unit.nodes[0]).attributes.items())
                arguments.push_back(name + "=" + attribute(value));
        }
        const auto begin = static_cast<std::uint32_t>(m_text.size() + 2);
        m_text += "  " + join(results, ", ") + " = " + unit.name + "(" + join(arguments, ", ") + ")\n";
        if (m_options.places)
            for (NodeId node : unit.nodes)
                m_options.places->push_back({node, begin, static_cast<std::uint32_t>(m_text.size() - 1)});
        if (m_options.tasks)
            for (NodeId node : unit.nodes)
                put_task(node);
    }
    std::string inner(const Unit& unit) const {
        return join(transformed<std::string>(unit.nodes, [&](NodeId node) { return m_graph.node(node).op->name; }),
                    ", ");
    }
    static std::string attribute(const Attribute& value) {
        const auto* body = std::get_if<std::shared_ptr<const Graph>>(&value);
        if (!body || !*body)
            return text_of(value);
        std::vector<std::string> names;
        for (NodeId node : (*body)->topological())
            names.emplace_back((*body)->node(node).op->name);
        return "FlowGraph(" + join(names, ", ") + ")";
    }
    void put_task(NodeId node) {
        if (!m_graph.node(node).task)
            return;
        for (const std::string& line : split(text_of(*m_graph.node(node).task), '\n'))
            if (!line.empty())
                m_text += "    # " + line + "\n";
    }

    const Graph& m_graph;
    const PrintOptions& m_options;
    std::vector<Unit> m_units;
    ValueNames m_names;
    std::string m_text;
};

} // namespace

std::string print_graph(const Graph& graph, const PrintOptions& options) {
    return GraphPrinter(graph, options).text();
}

} // namespace hidet::graph
