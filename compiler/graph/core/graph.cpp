// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/core/extent_edges.h"
#include "compiler/graph/core/waiting_order.h"

namespace hidet::graph {

Graph Graph::from_parts(GraphParts parts) {
    Graph graph;
    graph.m_values = std::move(parts.values);
    graph.m_nodes = std::move(parts.nodes);
    graph.inputs = std::move(parts.inputs);
    for (std::uint32_t i = 0; i < graph.m_nodes.size(); ++i) {
        const Node& node = graph.m_nodes[i];
        if (!node.op)
            continue;
        for (std::uint32_t input = 0; input < node.inputs.size(); ++input)
            graph.value(node.inputs[input]).uses.push_back({{i}, input});
        for (std::uint32_t output = 0; output < node.outputs.size(); ++output) {
            graph.value(node.outputs[output]).producer = {i};
            graph.value(node.outputs[output]).output = output;
        }
    }
    graph.set_outputs(std::move(parts.outputs));
    graph.m_fresh = static_cast<std::uint32_t>(graph.m_values.size()); // beyond what the symbols of the values count to
    return graph;
}

ValueId Graph::add_input(const std::string& name, TensorSpec spec, Device device) {
    const ValueId id{static_cast<std::uint32_t>(m_values.size())};
    Value value;
    value.spec = std::move(spec);
    value.device = device;
    value.name = name;
    m_values.push_back(std::move(value));
    inputs.push_back(id);
    return id;
}

ValueId Graph::add_constant(lang::TensorRef data, const std::string& name) {
    const ValueId id{static_cast<std::uint32_t>(m_values.size())};
    Value value;
    value.spec = {data->dtype, shape_of(data->shape)};
    value.device = data->device;
    value.name = name;
    value.data = std::move(data);
    m_values.push_back(std::move(value));
    return id;
}

std::vector<ValueId> Graph::add(const OpInfo& op, std::vector<ValueId> inputs_of_node, Attributes attributes,
                                NodeOrigin origin) {
    const NodeId id{static_cast<std::uint32_t>(m_nodes.size())};
    Node node;
    static_cast<NodeOrigin&>(node) = std::move(origin);
    node.op = &op;
    node.inputs = std::move(inputs_of_node);
    node.attributes = std::move(attributes);

    std::vector<TensorSpec> operands;
    Device device = Device::Cpu;
    for (ValueId input : node.inputs) {
        operands.push_back(value(input).spec);
        if (value(input).device == Device::Cuda)
            device = Device::Cuda;
    }
    if (const auto* given = std::get_if<std::string>(node.attributes.find("device")); given && operands.empty())
        device = given->starts_with("cuda") ? Device::Cuda : Device::Cpu;
    Applied applied = apply_operator(op, std::move(operands), node.attributes, *this);
    node.task = std::move(applied.task);
    std::vector<TensorSpec>& specs = applied.results;
    for (std::uint32_t i = 0; i < specs.size(); ++i) {
        Value result;
        result.spec = std::move(specs[i]);
        result.device = device;
        result.producer = id;
        result.output = i;
        node.outputs.push_back({static_cast<std::uint32_t>(m_values.size())});
        m_values.push_back(std::move(result));
    }
    for (std::uint32_t i = 0; i < node.inputs.size(); ++i)
        value(node.inputs[i]).uses.push_back({id, i});
    m_nodes.push_back(std::move(node));
    return m_nodes.back().outputs;
}

void Graph::replace(ValueId old, ValueId by) {
    if (old == by)
        return;
    for (const Use& use : value(old).uses)
        node(use.node).inputs[use.input] = by;
    std::vector<Use> moved = std::move(value(old).uses);
    value(old).uses.clear();
    std::vector<Use>& uses = value(by).uses;
    uses.insert(uses.end(), moved.begin(), moved.end());
    if (!is_output(old))
        return;
    std::ranges::replace(m_outputs, old, by);
    if (m_output_counts.size() < m_values.size())
        m_output_counts.resize(m_values.size(), 0);
    m_output_counts[by.index] += std::exchange(m_output_counts[old.index], 0);
}

void Graph::set_input(NodeId id, std::uint32_t input, ValueId by) {
    ValueId& slot = node(id).inputs[input];
    std::erase(value(slot).uses, Use{id, input});
    slot = by;
    value(by).uses.push_back({id, input});
}

std::vector<NodeId> Graph::drop_if_unused(NodeId first) {
    std::vector<NodeId> dropped;
    std::vector<NodeId> waiting = {first};
    while (!waiting.empty()) {
        const NodeId id = waiting.back();
        waiting.pop_back();
        if (!is_live(id))
            continue;
        const bool is_used = std::ranges::any_of(
            node(id).outputs, [&](ValueId output) { return !value(output).uses.empty() || is_output(output); });
        if (is_used || node(id).op->exchanges ||
            !defined_symbols(*this, node(id)).empty()) // shapes elsewhere may have them
            continue;
        dropped.push_back(id);
        const std::vector<ValueId> read = std::move(node(id).inputs);
        node(id).op = nullptr;
        node(id).task = nullptr;
        node(id).inputs.clear();
        for (ValueId input : read) {
            std::erase_if(value(input).uses, [&](const Use& use) { return use.node == id; });
            if (value(input).producer.valid())
                waiting.push_back(value(input).producer);
        }
    }
    return dropped;
}

void Graph::drop_unused() {
    for (std::uint32_t i = static_cast<std::uint32_t>(m_nodes.size()); i-- > 0;)
        drop_if_unused({i});
    for (std::uint32_t i = 0; i < m_values.size(); ++i)
        if (m_values[i].data && m_values[i].uses.empty() && !is_output({i}))
            m_values[i].data = nullptr;
}

bool Graph::is_output(ValueId id) const {
    return id.index < m_output_counts.size() && m_output_counts[id.index] > 0;
}

void Graph::set_outputs(std::vector<ValueId> outputs) {
    m_outputs = std::move(outputs);
    m_output_counts.assign(m_values.size(), 0);
    for (ValueId output : m_outputs)
        ++m_output_counts[output.index];
}

OpCall Graph::call_of(NodeId id) const {
    OpCall call(*node(id).op, {}, node(id).attributes);
    for (ValueId input : node(id).inputs)
        call.inputs.push_back(value(input).spec);
    return call;
}

// Of the nodes that may come next, the one that was made first does.
std::vector<NodeId> Graph::topological() const {
    std::vector<std::uint32_t> live;
    std::vector<std::size_t> place(m_nodes.size());
    for (std::uint32_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i].op) {
            place[i] = live.size();
            live.push_back(i);
        }
    std::vector<Arrow> arrows;
    for (const ExtentEdge& edge : extent_edges(*this))
        arrows.push_back({place[edge.definer.index], place[edge.user.index]});
    for (const std::uint32_t i : live)
        for (const ValueId input : m_nodes[i].inputs)
            if (const NodeId producer = value(input).producer; producer.valid())
                arrows.push_back({place[producer.index], place[i]});
    std::vector<std::size_t> order = ready_order(live, arrows);
    const std::vector<bool> sends =
        transformed(live, [&](const std::uint32_t i) { return m_nodes[i].is(OpId::BroadcastFrom); });
    if (std::ranges::find(sends, true) != sends.end())
        order = ready_order(ranks_of_waiting(order, arrows, sends), arrows);
    return transformed(order, [&](const std::size_t each) { return NodeId{live[each]}; });
}

std::vector<std::string> Graph::symbols() const {
    std::set<std::string> names;
    for (const Value& each : m_values)
        for (const Dim& extent : each.spec.shape)
            if (!constant_of(extent))
                for (std::string& name : symbols_of({extent}))
                    names.insert(std::move(name));
    return {names.begin(), names.end()};
}

Dim Graph::fresh(std::string_view hint) {
    return symbol_dim(std::string(hint) + "_" + std::to_string(m_fresh++));
}

} // namespace hidet::graph
