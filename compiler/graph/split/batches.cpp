// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/split/batches.h"

#include <algorithm>

namespace hidet::graph {

namespace {

class Batching {
public:
    Batching(Graph& graph, const Chosen& chosen, std::int64_t count)
        : m_graph(graph), m_chosen(chosen), m_count(count), m_order(graph.topological()) {}

    Batches run() {
        const std::vector<ValueId> results = m_graph.outputs();
        for (std::int64_t batch = 0; batch < m_count; ++batch)
            for (const NodeId id : m_order)
                if (way_of(id).is_shared())
                    compute(id, batch);
        std::vector<ValueId> outputs;
        for (const ValueId result : results)
            outputs.push_back(is_divided(result) ? joined(result) : result);
        m_graph.set_outputs(std::move(outputs));
        m_graph.drop_unused();
        return std::move(m_batches);
    }

private:
    const Way& way_of(NodeId id) const { return m_chosen.ways.at(id); }
    const Placement& result_of(ValueId value) const { return way_of(m_graph.value(value).producer).result; }
    bool is_divided(ValueId value) const {
        const NodeId maker = m_graph.value(value).producer;
        return maker.valid() && way_of(maker).is_shared();
    }
    void compute(NodeId id, std::int64_t batch) {
        const Node node = m_graph.node(id); // slots move
        std::vector<ValueId> inputs;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueId input = node.inputs[i];
            const Placement& placed = way_of(id).inputs[i];
            inputs.push_back(is_divided(input) ? m_parts.at({input, batch})
                             : placed == whole ? input
                                               : sliced(id, input, placed.axis, batch));
        }
        const std::vector<ValueId> parts =
            add(*node.op, id, std::move(inputs), attributes_of_part(m_graph, node, way_of(id), m_count));
        m_batches.of[m_graph.value(parts[0]).producer] = batch;
        for (std::size_t i = 0; i < parts.size(); ++i)
            m_parts[{node.outputs[i], batch}] = parts[i];
    }
    // Of what is given, which each stage has.
    ValueId sliced(NodeId reader, ValueId value, std::size_t axis, std::int64_t batch) {
        const ValueId part =
            add(op_info::StridedSlice(), reader, {value}, attributes_of_slice(m_graph, value, axis, {m_count, batch}))
                .front();
        m_batches.of[m_graph.value(part).producer] = batch;
        return part;
    }
    // A result of the graph keeps its name.
    ValueId joined(ValueId result) {
        ValueId& known = m_joined[result];
        if (known.valid())
            return known;
        std::vector<ValueId> parts;
        for (std::int64_t batch = 0; batch < m_count; ++batch)
            parts.push_back(m_parts.at({result, batch}));
        known = add(op_info::Concat(), m_graph.value(result).producer, std::move(parts),
                    {{"axis", static_cast<std::int64_t>(result_of(result).axis)}})
                    .front();
        m_graph.value(known).name = m_graph.value(result).name;
        m_graph.value(result).name.clear();
        return known;
    }
    std::vector<ValueId> add(const OpInfo& op, NodeId origin, std::vector<ValueId> inputs, Attributes attributes) {
        const Node& before = m_graph.node(origin);
        const std::vector<ValueId> outputs = m_graph.add(op, std::move(inputs), std::move(attributes),
                                                         {before.name, before.site, {origin}, rule_of_parts});
        const NodeId made = m_graph.value(outputs[0]).producer;
        m_batches.replaced[made] = origin;
        m_batches.divided.made[origin].push_back(made);
        return outputs;
    }

    Graph& m_graph;
    const Chosen& m_chosen;
    const std::int64_t m_count;
    const std::vector<NodeId> m_order;
    std::map<std::pair<ValueId, std::int64_t>, ValueId> m_parts; // by batch
    std::map<ValueId, ValueId> m_joined;
    Batches m_batches;
};

} // namespace

Batches divide_batch(Graph& graph, const artifact::TargetSpec& target, std::int64_t count) {
    const Chosen chosen = choose_batch_alone(graph, target, count);
    return chosen.ways.empty() ? Batches() : Batching(graph, chosen, count).run();
}

} // namespace hidet::graph
