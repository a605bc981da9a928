// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/eager.h"

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/script/distributed/exchange.h"
#include "compiler/graph/script/script_graphs.h"
#include "compiler/graph/script/template_provider.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/distributed.h"
#include "lang/host/options.h"
#include "lang/host/tensors/tensor_data.h"

namespace hidet::graph {

namespace {

using lang::Evaluator;

Device device_of(const std::vector<lang::TensorRef>& inputs) {
    for (const lang::TensorRef& input : inputs)
        if (input->device == Device::Cuda)
            return Device::Cuda;
    return Device::Cpu;
}

Graph graph_of(const OpCall& call, Device device) {
    Graph graph;
    std::vector<ValueId> ids =
        transformed(call.inputs, [&](const TensorSpec& spec) { return graph.add_input("", spec, device); });
    graph.set_outputs(graph.add(*call.op, std::move(ids), call.attributes));
    return graph;
}

// Shapes alone. What depends on data ends the block of the preview, as any unknown value does.
Tensors without_data(Evaluator& evaluator, const OpCall& call, Device device, Span span) {
    const Graph graph = graph_of(call, device);
    Tensors results;
    for (ValueId output : graph.outputs()) {
        const auto extents = constant_shape(graph.value(output).spec.shape);
        if (!extents)
            throw lang::UnknownValue();
        lang::TensorRef tensor =
            lang::new_tensor(evaluator, *extents, {graph.value(output).spec.dtype, device, false}, span);
        tensor->storage = nullptr;
        results.push_back(std::move(tensor));
    }
    return results;
}

Tensors compiled(ScriptGraphs& graphs, Evaluator& evaluator, const OpCall& call, const Tensors& inputs, Span span) {
    GraphEngine& engine = graphs.engine(evaluator);
    engine.code = ir::text_of(lang::module_options(evaluator));
    const DeclaredTemplates templates(graphs, evaluator);
    std::optional<Tensors> results = engine.run_operator(call, inputs, &templates, span, evaluator.sink());
    if (!results) // reported
        throw lang::UnknownValue();
    return std::move(*results);
}

// With other processes.
Tensors exchanged_now(Evaluator& evaluator, const OpCall& call, const Tensors& inputs, Span span) {
    return lang::exchanged(exchange_on(*evaluator.engine(), call, inputs), span);
}

} // namespace

bool compiles_operators(Evaluator& evaluator) {
    const lang::Value* mode = evaluator.impl().option_values.find("execution_mode");
    return evaluator.engine() && mode && mode->is(lang::ValueKind::Str) && mode->as_str() == "compilation";
}

Tensors run_eager(ScriptGraphs& graphs, Evaluator& evaluator, const OpCall& call, const Tensors& inputs, Span span) {
    const Device device = device_of(inputs);
    for (const lang::TensorRef& input : inputs)
        if (!input->has_data())
            return without_data(evaluator, call, device, span);
    if (evaluator.in_preview() && inputs.empty())
        return without_data(evaluator, call, device, span);
    if (call.op->exchanges)
        return evaluator.engine() ? exchanged_now(evaluator, call, inputs, span)
                                  : without_data(evaluator, call, device, span);
    const bool is_opaque = call.op->id == OpId::OpaqueOperator;
    if (is_opaque && !evaluator.engine())
        return without_data(evaluator, call, device, span);
    if (is_opaque || compiles_operators(evaluator))
        return compiled(graphs, evaluator, call, inputs, span);
    Tensors results = evaluate(call, inputs);
    for (lang::TensorRef& result : results)
        result->device = device;
    return results;
}

} // namespace hidet::graph
