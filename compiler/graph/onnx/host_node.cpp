// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/host_node.h"

#include "compiler/graph/core/graph.h"
#include "compiler/ir/ops.h"
#include "lang/tensor/elements.h"

namespace hidet::graph::onnx {

void describe_results(Attributes& attributes, const std::vector<TensorSpec>& results) {
    Texts dtypes;
    for (std::size_t i = 0; i < results.size(); ++i) {
        dtypes.emplace_back(ir::info(results[i].dtype).name);
        attributes.set("shape" + std::to_string(i), results[i].shape);
    }
    attributes.set("dtypes", dtypes);
}

std::vector<TensorSpec> described_results(const OpCall& call, FreshSymbols& symbols) {
    std::vector<TensorSpec> results;
    for (const std::string& name : call.attributes.get<Texts>("dtypes")) {
        const std::string shape = "shape" + std::to_string(results.size());
        const auto dtype = ir::find_dtype(name);
        const auto* extents = std::get_if<Shape>(call.attributes.find(shape));
        if (!dtype || !lang::holds_numbers(*dtype) || !extents)
            throw OpError(call.op->name, ": result ", results.size(), " is of type '", name,
                          "', and its shape is the attribute '", shape, "': one of them is none");
        TensorSpec spec{*dtype, *extents};
        for (Dim& each : spec.shape)
            if (ir::is_constant(each, -1))
                each = symbols.fresh("extent");
        results.push_back(std::move(spec));
    }
    return results;
}

void require_fit(const OpCall& call, const Graph& body, std::size_t own, std::size_t operands, std::size_t dropped) {
    const Texts& dtypes = call.attributes.get<Texts>("dtypes");
    bool fits = body.inputs.size() == own + operands && body.outputs().size() == dropped + dtypes.size();
    for (std::size_t i = 0; fits && i < operands; ++i) {
        const TensorSpec& taken = body.value(body.inputs[own + i]).spec;
        const TensorSpec& given = call.inputs[call.inputs.size() - operands + i];
        fits = taken.dtype == given.dtype && taken.shape.size() == given.shape.size();
    }
    for (std::size_t i = 0; fits && i < dtypes.size(); ++i)
        fits = ir::info(body.value(body.outputs()[dropped + i]).spec.dtype).name == dtypes[i];
    if (!fits)
        throw OpError(call.op->name, ": its body does not take its operands, or does not make its results");
}

} // namespace hidet::graph::onnx
