// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/graph/together.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/ops/host/run_on_host.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

using lang::TensorRef;

// What a process has after an exchange; all have the same.
TensorRef exchanged(const Node& exchange, const std::vector<TensorRef>& given) {
    const OpInfo& op = *exchange.op;
    if (op.id == OpId::BroadcastFrom)
        return given.at(static_cast<std::size_t>(exchange.get<std::int64_t>("src")));
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

class Process {
public:
    Process(const Graph& graph, const std::vector<TensorRef>& inputs) : m_graph(graph), m_order(graph.topological()) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            m_values[graph.inputs[i]] = inputs[i];
    }
    const TensorRef& value(ValueId id) {
        return m_graph.value(id).is_constant() ? m_graph.value(id).data : m_values.at(id);
    }
    std::vector<TensorRef> results() {
        std::vector<TensorRef> out;
        for (const ValueId output : m_graph.outputs())
            out.push_back(value(output));
        return out;
    }
    // The exchange that it comes to; null: it has computed everything.
    const Node* compute() {
        for (; m_next < m_order.size(); ++m_next) {
            const Node& node = m_graph.node(m_order[m_next]);
            if (node.op->exchanges)
                return &node;
            std::vector<TensorRef> inputs;
            for (const ValueId input : node.inputs)
                inputs.push_back(value(input));
            give(evaluate(m_graph.call_of(m_order[m_next]), inputs));
        }
        return nullptr;
    }
    void pass(const TensorRef& result) { // the exchange
        give({result});
        ++m_next;
    }

private:
    void give(const std::vector<TensorRef>& results) {
        for (std::size_t i = 0; i < results.size(); ++i)
            m_values[m_graph.node(m_order[m_next]).outputs[i]] = results[i];
    }

    const Graph& m_graph;
    const std::vector<NodeId> m_order;
    std::size_t m_next = 0;
    std::map<ValueId, TensorRef> m_values;
};

std::int64_t number_of(const Node& exchange) {
    return exchange.get<std::int64_t>("group");
}

class Together {
public:
    Together(const std::vector<Graph>& graphs, const std::vector<TensorRef>& inputs) {
        for (const Graph& graph : graphs)
            m_processes.emplace_back(graph, inputs);
    }
    std::vector<TensorRef> run() {
        while (!have_ended())
            if (!exchange_one())
                throw std::runtime_error("the processes have other exchanges");
        std::vector<TensorRef> results = m_processes[0].results();
        for (Process& process : m_processes)
            for (std::size_t k = 0; k < results.size(); ++k)
                if (lang::read_doubles(*process.results()[k]) != lang::read_doubles(*results[k]))
                    throw std::runtime_error("two processes have other results");
        return results;
    }

private:
    bool have_ended() {
        return std::ranges::none_of(m_processes, [](Process& each) { return each.compute() != nullptr; });
    }
    // In the group of an exchange that a process has come to.
    std::vector<std::size_t> members(const Node& exchange, std::size_t rank) const {
        const std::int64_t number = number_of(exchange);
        if (number >= first_pair) {
            const auto first = static_cast<std::size_t>(number - first_pair);
            return {first, first + 1};
        }
        const std::size_t size =
            number == 0 ? m_processes.size() : static_cast<std::size_t>(exchange.get<std::int64_t>("size"));
        const std::size_t groups = m_processes.size() / size;
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < m_processes.size(); ++i)
            if (number == 2 ? i % groups == rank % groups : i / size == rank / size)
                out.push_back(i);
        return out;
    }
    bool exchange_one() {
        for (std::size_t rank = 0; rank < m_processes.size(); ++rank)
            if (const Node* exchange = m_processes[rank].compute())
                if (exchange_in(*exchange, members(*exchange, rank)))
                    return true;
        return false;
    }
    bool exchange_in(const Node& exchange, const std::vector<std::size_t>& ranks) {
        std::vector<TensorRef> given;
        for (const std::size_t each : ranks) {
            const Node* const other = m_processes.at(each).compute();
            if (!other || other->op != exchange.op || number_of(*other) != number_of(exchange))
                return false;
            given.push_back(m_processes[each].value(other->inputs[0]));
        }
        const TensorRef result = exchanged(exchange, given);
        for (const std::size_t each : ranks)
            m_processes[each].pass(result);
        return true;
    }

    std::vector<Process> m_processes;
};

} // namespace

std::vector<TensorRef> compute_together(const std::vector<Graph>& graphs, const std::vector<TensorRef>& inputs) {
    return Together(graphs, inputs).run();
}

} // namespace hidet::graph
