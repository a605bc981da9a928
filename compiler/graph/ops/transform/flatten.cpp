// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Shape flattened(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    if (from.empty())
        return {dim(1)};
    const std::size_t first = axis_attribute(call, "start_dim", from.size());
    const std::size_t last = axis_attribute(call, "end_dim", from.size());
    if (first > last)
        throw OpError("flatten from dimension " + std::to_string(first) + " to " + std::to_string(last));
    Shape to(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(first));
    to.push_back(element_count(Shape(from.begin() + static_cast<std::ptrdiff_t>(first),
                                     from.begin() + static_cast<std::ptrdiff_t>(last) + 1)));
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(last) + 1, from.end());
    return to;
}

} // namespace

const OpInfo& op_info::Flatten() {
    static const OpInfo info = {
        .id = OpId::Flatten,
        .python = "flatten",
        .parameters = "x, start_dim: int = 0, end_dim: int = -1",
        .cls = OpClass::Transform,
        .summary = "the dimensions from start_dim to end_dim as one",
        .example = "hidet.ops.flatten(hidet.randn([2, 3, 4]), start_dim=1)",
        .define = [](const OpCall& call) { return define_reshape(call, "flatten", flattened(call)); },
        .shares_memory = true,
    };
    return info;
}

} // namespace hidet::graph
