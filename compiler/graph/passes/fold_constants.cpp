// SPDX-License-Identifier: Apache-2.0
// Computes every operator whose inputs are constants. What would only blow up memory stays: a result with many more elements
// than all inputs together is as cheap to compute as to read.
#include <algorithm>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t always_fine = 1 << 16;

// The data of the inputs; nothing when one is no constant.
std::optional<Tensors> inputs_of(const Graph& graph, const Node& node) {
    Tensors inputs;
    for (ValueId input : node.inputs) {
        const lang::TensorRef& data = graph.value(input).data;
        if (!data || !data->has_data())
            return std::nullopt;
        inputs.push_back(data);
    }
    return inputs;
}

// Symbols that an operator invents for its results are used further down, so they must stay.
bool has_constant_results(const Graph& graph, const Node& node) {
    return std::ranges::all_of(
        node.outputs, [&](ValueId output) { return constant_shape(graph.value(output).spec.shape).has_value(); });
}

bool fold_node(Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    if (node.op->is_random || node.op->never_fuses || !has_constant_results(graph, node))
        return false;
    const auto inputs = inputs_of(graph, node);
    if (!inputs)
        return false;
    std::int64_t given = 0;
    for (const lang::TensorRef& input : *inputs)
        given += input->count();
    const auto results = fold(graph.call_of(id), *inputs, std::max(always_fine, 4 * given));
    if (!results)
        return false;
    const std::vector<ValueId> outputs = node.outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        graph.replace(outputs[i], graph.add_constant((*results)[i], graph.value(outputs[i]).name));
    graph.drop_if_unused(id);
    return true;
}

} // namespace

void fold_constants(PassState& state) {
    for (NodeId node : state.graph.topological()) {
        if (state.is_cancelled())
            return;
        if (fold_node(state.graph, node))
            state.record.matches.push_back({"fold-constants", {node}, {}, {}});
    }
}

} // namespace hidet::graph
