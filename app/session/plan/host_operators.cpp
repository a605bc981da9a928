// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/host_operators.h"

#include "compiler/graph/plan/host_steps.h"
#include "lang/base/check.h"

namespace hidet::session {

using namespace graph;

namespace {

OpCall listed_call(const PlanRunner& runner, artifact::Row step) {
    return host_call(runner.plan().steps[step], runner.expressions(), runner.weights());
}

// The operator sees extents as they are, not the symbols that stand for them.
OpCall graph_call(const PlanRunner& runner, const Node& node) {
    OpCall call(*node.op, {}, node.attributes);
    const SymbolValues symbols = runner.symbols();
    for (const auto& [name, attribute] : node.attributes.items())
        if (const auto* shape = std::get_if<Shape>(&attribute))
            if (const auto extents = evaluate(*shape, symbols))
                call.attributes.set(name, shape_of(*extents));
    return call;
}

Tensors results_of(OpCall call, const Tensors& inputs) {
    for (const lang::TensorRef& input : inputs)
        call.inputs.push_back({input->dtype, shape_of(input->shape)});
    return call.op->run({call, inputs});
}

} // namespace

HostOperators listed_operators() {
    return [](PlanRunner& runner, artifact::Row step, const Tensors& inputs) {
        return results_of(listed_call(runner, step), inputs);
    };
}

HostOperators operators_of(const CompiledGraph& compiled) {
    return [&compiled](PlanRunner& runner, artifact::Row step, const Tensors& inputs) {
        if (runner.plan().steps[step].op != artifact::HostOperator::Process)
            return results_of(listed_call(runner, step), inputs);
        return results_of(graph_call(runner, compiled.graph.node(compiled.plan.sources[step].node)), inputs);
    };
}

} // namespace hidet::session
