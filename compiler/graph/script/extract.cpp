// SPDX-License-Identifier: Apache-2.0
// trace_from: a graph of its own out of the one that an evaluation traces into. Walks back from the outputs without
// recursion, because models are deeper than a stack.
#include <algorithm>
#include <set>

#include "compiler/graph/script/script_graphs.h"

namespace hidet::graph {

namespace {

class Extraction {
public:
    Extraction(const Graph& from, const std::vector<ValueId>& inputs) : m_from(from), m_new(from.value_slots()) {
        m_reached.resize(from.node_slots());
        for (ValueId input : inputs)
            m_is_input.insert(input);
    }

    void reach(const std::vector<ValueId>& outputs) {
        std::vector<ValueId> waiting = outputs;
        while (!waiting.empty()) {
            const ValueId id = waiting.back();
            waiting.pop_back();
            const Value& value = m_from.value(id);
            if (m_is_input.contains(id) || value.is_constant())
                continue;
            if (!value.producer.valid()) {
                m_free.insert(id);
                continue;
            }
            if (m_reached[value.producer.index])
                continue;
            m_reached[value.producer.index] = true;
            const auto& read = m_from.node(value.producer).inputs;
            waiting.insert(waiting.end(), read.begin(), read.end());
        }
    }

    const std::set<ValueId>& free() const { return m_free; }

    Graph copy(const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs) {
        Graph graph;
        for (ValueId input : inputs) {
            const Value& value = m_from.value(input);
            m_new[input.index] = graph.add_input(value.name, value.spec, value.device);
            graph.value(m_new[input.index]).called = unique(value.called);
        }
        for (NodeId id : m_from.topological()) {
            if (!m_reached[id.index])
                continue;
            const Node& node = m_from.node(id);
            std::vector<ValueId> read = transformed(node.inputs, [&](ValueId input) { return copied(graph, input); });
            if (node.op->exchanges && m_exchanged.valid())
                read.push_back(m_exchanged); // behind the one before it
            const auto made = graph.add(*node.op, std::move(read), node.attributes, {node.name, node.site, {}, {}});
            if (node.op->exchanges)
                m_exchanged = made.front();
            for (std::size_t i = 0; i < made.size(); ++i)
                if (!m_new[node.outputs[i].index].valid())
                    m_new[node.outputs[i].index] = made[i];
        }
        std::vector<ValueId> results = transformed(outputs, [&](ValueId output) { return copied(graph, output); });
        graph.set_outputs(std::move(results));
        return graph;
    }

private:
    // Two variables of functions may have one name.
    std::string unique(const std::string& name) {
        std::string out = name;
        for (int count = 1; !name.empty() && !m_names.insert(out).second;)
            out = name + "_" + std::to_string(++count);
        return out;
    }
    ValueId copied(Graph& graph, ValueId id) {
        ValueId& made = m_new[id.index];
        if (!made.valid())
            made = graph.add_constant(m_from.value(id).data, m_from.value(id).name);
        return made;
    }

    const Graph& m_from;
    std::vector<ValueId> m_new; // by value of the traced graph
    std::vector<bool> m_reached;
    ValueId m_exchanged; // what the last operator that exchanges with other processes made
    std::set<ValueId> m_is_input;
    std::set<ValueId> m_free;
    std::set<std::string> m_names; // of inputs
};

} // namespace

Graph extract(const Graph& traced, const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs) {
    Extraction extraction(traced, inputs);
    extraction.reach(outputs);
    std::vector<ValueId> order = inputs;
    if (inputs.empty())
        order.assign(extraction.free().begin(), extraction.free().end());
    if (inputs.empty() && order.size() > 1)
        throw OpError("the outputs depend on ", order.size(),
                      " symbolic tensors: give them as inputs, in the order in which the graph shall take them");
    for (ValueId free : extraction.free())
        if (!inputs.empty())
            throw OpError("the outputs also depend on a symbolic tensor ", text_of(traced.value(free).spec),
                          " that is not among the inputs");
    return extraction.copy(order, outputs);
}

} // namespace hidet::graph
