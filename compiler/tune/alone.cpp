// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/alone.h"

#include <algorithm>
#include <map>

namespace hidet::tune {

using namespace graph;

namespace {

bool is_read_outside(const Graph& graph, const Group& group, ValueId id) {
    return graph.is_output(id) || std::ranges::any_of(graph.value(id).uses, [&](const Use& use) {
               return std::ranges::find(group.nodes, use.node) == group.nodes.end();
           });
}

} // namespace

GroupAlone alone(const Graph& graph, const Group& group) {
    GroupAlone out;
    std::map<ValueId, ValueId> values;
    std::map<NodeId, NodeId> nodes;
    const auto value_of = [&](ValueId id) {
        const auto [found, is_new] = values.emplace(id, ValueId());
        const Value& value = graph.value(id);
        if (is_new)
            found->second = value.is_constant() ? out.graph.add_constant(value.data, value.name)
                                                : out.graph.add_input(value.name, value.spec, value.device);
        return found->second;
    };
    std::vector<ValueId> results;
    for (const NodeId id : group.nodes) {
        const Node& node = graph.node(id);
        std::vector<ValueId> inputs;
        for (const ValueId input : node.inputs)
            inputs.push_back(value_of(input));
        NodeOrigin origin;
        origin.name = node.name;
        const std::vector<ValueId> made =
            out.graph.add(*node.op, std::move(inputs), node.attributes, std::move(origin));
        nodes.emplace(id, out.graph.value(made.front()).producer);
        for (std::size_t i = 0; i < made.size(); ++i) {
            values.insert_or_assign(node.outputs[i], made[i]);
            if (is_read_outside(graph, group, node.outputs[i]))
                results.push_back(made[i]);
        }
    }
    out.graph.set_outputs(std::move(results));
    Group copy = group;
    copy.anchor = nodes.at(group.anchor);
    for (NodeId& node : copy.nodes)
        node = nodes.at(node);
    out.partition.groups.push_back(std::move(copy));
    return out;
}

} // namespace hidet::tune
