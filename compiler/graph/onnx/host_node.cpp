// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/host_node.h"

#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

Attributes describe_results(const std::vector<TensorSpec>& results) {
    Attributes attributes;
    Texts dtypes;
    for (std::size_t i = 0; i < results.size(); ++i) {
        dtypes.emplace_back(ir::info(results[i].dtype).name);
        attributes.set("shape" + std::to_string(i), results[i].shape);
    }
    attributes.set("dtypes", dtypes);
    return attributes;
}

std::vector<TensorSpec> described_results(const OpCall& call, FreshSymbols& symbols) {
    std::vector<TensorSpec> results;
    for (const std::string& name : call.attributes.get<Texts>("dtypes")) {
        TensorSpec spec{*ir::find_dtype(name), call.attributes.get<Shape>("shape" + std::to_string(results.size()))};
        for (Dim& each : spec.shape)
            if (ir::is_constant(each, -1))
                each = symbols.fresh("extent");
        results.push_back(std::move(spec));
    }
    return results;
}

} // namespace hidet::graph::onnx
