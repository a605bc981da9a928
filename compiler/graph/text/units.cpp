// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/text/units.h"

#include <algorithm>
#include <set>

namespace hidet::graph {

namespace {

Unit unit_of(const Graph& graph, NodeId node) {
    return {{node}, 0, graph.node(node).inputs, graph.node(node).outputs, graph.node(node).op->name};
}

bool is_read_outside(const Graph& graph, ValueId id, const std::set<NodeId>& inside) {
    return graph.is_output(id) ||
           std::ranges::any_of(graph.value(id).uses, [&](const Use& use) { return !inside.contains(use.node); });
}

Unit unit_of(const Graph& graph, const Group& group) {
    if (group.nodes.size() == 1)
        return unit_of(graph, group.nodes[0]);
    Unit unit;
    unit.nodes = group.nodes;
    unit.anchor = static_cast<std::size_t>(std::ranges::find(group.nodes, group.anchor) - group.nodes.begin());
    unit.name = std::string("Fused") + graph.node(group.anchor).op->name;
    const std::set<NodeId> inside(group.nodes.begin(), group.nodes.end());
    std::set<ValueId> seen;
    for (NodeId node : group.nodes) {
        for (ValueId input : graph.node(node).inputs)
            if (!inside.contains(graph.value(input).producer) && seen.insert(input).second)
                unit.inputs.push_back(input);
        for (ValueId output : graph.node(node).outputs)
            if (is_read_outside(graph, output, inside))
                unit.outputs.push_back(output);
    }
    return unit;
}

} // namespace

std::vector<Unit> units_of(const Graph& graph, const Partition* partition) {
    std::vector<Unit> units;
    if (partition) {
        for (const Group& group : partition->groups)
            units.push_back(unit_of(graph, group));
        return units;
    }
    for (NodeId node : graph.topological())
        units.push_back(unit_of(graph, node));
    return units;
}

} // namespace hidet::graph
