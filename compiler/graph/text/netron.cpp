// SPDX-License-Identifier: Apache-2.0
// The viewer's model: a graph has nodes with parameters; a parameter has arguments; an argument is a value with a type
// and, for constants, an initialiser.
#include <nlohmann/json.hpp>

#include "compiler/graph/names/value_names.h"
#include "compiler/graph/text/contents.h"
#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/units.h"

namespace hidet::graph {

namespace {

using Json = nlohmann::ordered_json;

std::string category_of(const Graph& graph, const Unit& unit) {
    const OpInfo& op = *graph.node(unit.nodes[unit.anchor]).op;
    const std::string_view name = op.name;
    if (unit.is_fused())
        return "Control";
    if (op.cls == OpClass::Contraction)
        return "Layer";
    if (name.find("Pool") != std::string_view::npos)
        return "Pool";
    if (op.cls == OpClass::Transform)
        return op.id == OpId::Concat ? "Tensor" : "Shape";
    if (name.find("elu") != std::string_view::npos || is_any_of(op.id, {OpId::Sigmoid, OpId::Tanh, OpId::Softmax}))
        return "Activation";
    return name.find("Norm") != std::string_view::npos ? "Normalization" : "Custom";
}

class NetronWriter {
public:
    NetronWriter(const Graph& graph, const Partition* partition)
        : m_graph(graph), m_units(units_of(graph, partition)), m_names(graph, graph.topological()) {}

    std::string text() const {
        Json nodes = Json::array();
        for (std::size_t i = 0; i < m_units.size(); ++i)
            nodes.push_back(node(m_units[i], i));
        const Json graph = {{"name", m_graph.name},
                            {"inputs", parameters("x", m_graph.inputs)},
                            {"outputs", parameters("y", m_graph.outputs())},
                            {"nodes", std::move(nodes)}};
        return Json{{"name", "Hidet Studio"}, {"graphs", Json::array({graph})}}.dump(2, ' ', false, replace_invalid) +
               "\n";
    }

private:
    static constexpr auto replace_invalid = Json::error_handler_t::replace;

    Json argument(ValueId id) const {
        const Value& value = m_graph.value(id);
        const Json type = {{"string", text_of(value.spec)}};
        Json result = {{"name", m_names.of(id)}, {"type", type}};
        if (value.is_constant()) {
            result["initializer"] = {{"kind", "Constant"}, {"type", type}};
            if (value.spec.shape.empty())
                result["initializer"]["value"] = short_contents(*value.data, 1);
        }
        return result;
    }
    Json parameters(const char* prefix, const std::vector<ValueId>& values) const {
        Json result = Json::array();
        for (std::size_t i = 0; i < values.size(); ++i)
            result.push_back({{"name", prefix + std::to_string(i)},
                              {"visible", true},
                              {"arguments", Json::array({argument(values[i])})}});
        return result;
    }
    Json node(const Unit& unit, std::size_t number) const {
        Json attributes = Json::array();
        std::string description;
        const auto add = [&](const std::string& name, const std::string& value) {
            attributes.push_back({{"name", name}, {"type", "string"}, {"value", value}, {"visible", true}});
        };
        for (NodeId id : unit.nodes) {
            const Node& each = m_graph.node(id);
            if (unit.is_fused())
                add("fused", each.op->name);
            else
                for (const auto& [name, value] : each.attributes.items())
                    add(name, text_of(value));
            if (each.task)
                description += text_of(*each.task);
        }
        return {{"name", std::to_string(number) + "_" + unit.name},
                {"type", {{"name", unit.name}, {"category", category_of(m_graph, unit)}}},
                {"inputs", parameters("x", unit.inputs)},
                {"outputs", parameters("y", unit.outputs)},
                {"attributes", std::move(attributes)},
                {"description", description}};
    }

    const Graph& m_graph;
    std::vector<Unit> m_units;
    ValueNames m_names;
};

} // namespace

std::string netron_json(const Graph& graph, const Partition* partition) {
    return NetronWriter(graph, partition).text();
}

} // namespace hidet::graph
