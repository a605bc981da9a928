// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/together.h"

#include <map>
#include <stdexcept>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/ops/host/run_on_host.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

using lang::TensorRef;

// What the first process has after an exchange; all have the same.
TensorRef exchanged(const OpInfo& op, const std::vector<TensorRef>& given) {
    std::vector<double> values;
    std::vector<std::int64_t> shape = given[0]->shape;
    for (const TensorRef& each : given) {
        const lang::Doubles part = lang::read_doubles(*each);
        if (op.id == OpId::AllGather || values.empty())
            values.insert(values.end(), part.begin(), part.end());
        else
            for (std::size_t i = 0; i < part.size(); ++i)
                values[i] += part[i];
    }
    if (op.id == OpId::AllGather)
        shape[0] *= static_cast<std::int64_t>(given.size());
    else if (op.id != OpId::AllReduce)
        throw std::runtime_error(std::string("no model is divided by ") + op.name);
    TensorRef tensor = host_tensor(given[0]->dtype, shape);
    if (ir::is_float(tensor->dtype))
        lang::write_doubles(*tensor, values);
    else
        lang::write_integers(*tensor, std::vector<std::int64_t>(values.begin(), values.end()));
    return tensor;
}

// 0: all; 1: those that follow each other; 2: those at one place of each such group.
std::vector<std::vector<std::size_t>> groups_of(const Node& exchange, std::size_t count) {
    const auto number = exchange.get<std::int64_t>("group");
    const std::size_t size = number == 0 ? count : static_cast<std::size_t>(exchange.get<std::int64_t>("size"));
    std::vector<std::vector<std::size_t>> groups(count / size);
    for (std::size_t i = 0; i < count; ++i)
        groups[number == 2 ? i % groups.size() : i / size].push_back(i);
    return groups;
}

class Process {
public:
    Process(const Graph& graph, const std::vector<TensorRef>& inputs) : m_graph(graph) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            m_values[graph.inputs[i]] = inputs[i];
    }
    const TensorRef& value(ValueId id) {
        return m_graph.value(id).is_constant() ? m_graph.value(id).data : m_values.at(id);
    }
    void compute(NodeId id) {
        std::vector<TensorRef> inputs;
        for (const ValueId input : m_graph.node(id).inputs)
            inputs.push_back(value(input));
        give(id, evaluate(m_graph.call_of(id), inputs));
    }
    void give(NodeId id, const std::vector<TensorRef>& results) {
        for (std::size_t i = 0; i < results.size(); ++i)
            m_values[m_graph.node(id).outputs[i]] = results[i];
    }

private:
    const Graph& m_graph;
    std::map<ValueId, TensorRef> m_values;
};

} // namespace

std::vector<TensorRef> compute_together(const std::vector<Graph>& graphs, const std::vector<TensorRef>& inputs) {
    std::vector<Process> processes;
    for (const Graph& graph : graphs)
        processes.emplace_back(graph, inputs);
    const std::vector<NodeId> order = graphs[0].topological();
    for (const Graph& graph : graphs)
        if (graph.topological() != order)
            throw std::runtime_error("the processes have other operators");
    for (const NodeId id : order) {
        const OpInfo& op = *graphs[0].node(id).op;
        for (std::size_t i = 0; i < graphs.size(); ++i)
            if (graphs[i].node(id).op != &op)
                throw std::runtime_error("the processes have other operators");
            else if (!op.exchanges)
                processes[i].compute(id);
        if (!op.exchanges)
            continue;
        for (const std::vector<std::size_t>& group : groups_of(graphs[0].node(id), graphs.size())) {
            std::vector<TensorRef> given;
            for (const std::size_t i : group)
                given.push_back(processes[i].value(graphs[i].node(id).inputs[0]));
            for (const std::size_t i : group)
                processes[i].give(id, {exchanged(op, given)});
        }
    }
    std::vector<TensorRef> results;
    for (const ValueId output : graphs[0].outputs())
        results.push_back(processes[0].value(output));
    for (std::size_t i = 1; i < graphs.size(); ++i)
        for (std::size_t k = 0; k < results.size(); ++k)
            if (lang::read_doubles(*processes[i].value(graphs[i].outputs()[k])) != lang::read_doubles(*results[k]))
                throw std::runtime_error("two processes have other results");
    return results;
}

} // namespace hidet::graph
