// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

std::size_t axis_of(const Attributes& attributes, std::size_t rank) {
    return static_cast<std::size_t>(normalise_axis(attributes.get<std::int64_t>("axis"), rank, "axis"));
}

std::vector<TensorSpec> infer_top_k(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    const std::size_t axis = axis_of(call.attributes, x.shape.size());
    Shape shape = x.shape;
    if (call.inputs.size() > 1) {
        shape[axis] = symbols.fresh("k");
    } else {
        const std::int64_t k = call.attributes.get<std::int64_t>("k");
        const auto extent = constant_of(x.shape[axis]);
        if (k < 0 || (extent && k > *extent))
            throw OpError("topk of " + text_of(x) + " cannot take " + std::to_string(k) + " elements along axis " +
                          std::to_string(axis));
        shape[axis] = dim(k);
    }
    return {{x.dtype, shape}, {ir::DType::I64, shape}};
}

} // namespace

const OpInfo& op_info::TopK() {
    static const OpInfo info = {
        .id = OpId::TopK,
        .python = "topk",
        .parameters = "x, k: int, axis: int = -1, largest: bool = True, sorted: bool = True",
        .cls = OpClass::Host,
        .summary = "the `k` largest elements along `axis` in falling order, or the smallest ones, and their indices",
        .example = "hidet.ops.topk(hidet.randn([2, 5]), k=3)",
        .infer = infer_top_k,
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
