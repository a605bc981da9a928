// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/alone.h"

#include <algorithm>
#include <set>

namespace hidet::tune {

using namespace graph;

namespace {

bool is_read_outside(const Graph& graph, const std::set<NodeId>& nodes, ValueId id) {
    return graph.is_output(id) ||
           std::ranges::any_of(graph.value(id).uses, [&](const Use& use) { return !nodes.contains(use.node); });
}

} // namespace

Partition OperatorsAlone::partition(const std::vector<Group>& groups) const {
    Partition out;
    for (Group group : groups) {
        group.anchor = nodes.at(group.anchor);
        for (NodeId& node : group.nodes)
            node = nodes.at(node);
        out.groups.push_back(std::move(group));
    }
    return out;
}

bool can_be_alone(const Graph& graph, const std::vector<Group>& groups) {
    const auto is_known = [&](ValueId value) { return constant_shape(graph.value(value).spec.shape).has_value(); };
    const auto is_ok = [&](NodeId id) {
        const graph::Node& node = graph.node(id);
        return node.task && !node.op->never_fuses && std::ranges::all_of(node.inputs, is_known) &&
               std::ranges::all_of(node.outputs, is_known);
    };
    return std::ranges::all_of(groups, [&](const Group& group) { return std::ranges::all_of(group.nodes, is_ok); });
}

OperatorsAlone alone(const Graph& graph, const std::vector<Group>& groups) {
    std::set<NodeId> wanted;
    for (const Group& group : groups)
        wanted.insert(group.nodes.begin(), group.nodes.end());
    OperatorsAlone out;
    std::map<ValueId, ValueId> values;
    const auto value_of = [&](ValueId id) {
        const auto [found, is_new] = values.emplace(id, ValueId());
        const Value& value = graph.value(id);
        if (is_new)
            found->second = value.is_constant() ? out.graph.add_constant(value.data, value.name)
                                                : out.graph.add_input(value.name, value.spec, value.device);
        return found->second;
    };
    std::vector<ValueId> results;
    for (const NodeId id : graph.topological()) {
        if (!wanted.contains(id))
            continue;
        const graph::Node& node = graph.node(id);
        std::vector<ValueId> inputs = transformed(node.inputs, [&](const ValueId input) { return value_of(input); });
        NodeOrigin origin;
        origin.name = node.name;
        const std::vector<ValueId> made =
            out.graph.add(*node.op, std::move(inputs), node.attributes, std::move(origin));
        out.nodes.emplace(id, out.graph.value(made.front()).producer);
        for (std::size_t i = 0; i < made.size(); ++i) {
            values.insert_or_assign(node.outputs[i], made[i]);
            if (is_read_outside(graph, wanted, node.outputs[i]))
                results.push_back(made[i]);
        }
    }
    out.graph.set_outputs(std::move(results));
    return out;
}

} // namespace hidet::tune
