// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

bool has_axis(const OpCall& call) {
    return call.attributes.find("axis") != nullptr;
}

std::size_t axis_of(const OpCall& call, std::size_t rank) {
    return static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>("axis"), rank, "axis"));
}

std::vector<TensorSpec> infer_unique(const OpCall& call, FreshSymbols& symbols) {
    const TensorSpec& x = call.inputs[0];
    const Dim count = symbols.fresh("unique");
    Shape shape = {count};
    Dim slices = element_count(x.shape);
    if (has_axis(call)) {
        const std::size_t axis = axis_of(call, x.shape.size());
        shape = x.shape;
        slices = shape[axis];
        shape[axis] = count;
    }
    return {{x.dtype, shape}, {ir::DType::I64, {count}}, {ir::DType::I64, {slices}}, {ir::DType::I64, {count}}};
}

} // namespace

const OpInfo& op_info::Unique() {
    static const OpInfo info = {
        .id = OpId::Unique,
        .python = "unique",
        .parameters = "x, axis: int = None, sorted: bool = True",
        .cls = OpClass::Host,
        .summary =
            "the distinct slices along `axis`, where each comes first, which one each slice is, and their counts",
        .example = "hidet.ops.unique(hidet.ones([2, 3]), axis=0)",
        .infer = infer_unique,
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
