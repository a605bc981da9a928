// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// What is left for the one extent of -1: extents that both shapes have cancel, the rest is divided.
Dim left_over(const Shape& from, const Shape& to) {
    Shape had = from;
    Dim others = dim(1);
    for (const Dim& extent : to) {
        if (ir::is_constant(extent, -1))
            continue;
        const auto same = std::ranges::find_if(had, [&](const Dim& each) { return same_dim(each, extent); });
        if (same != had.end())
            had.erase(same);
        else
            others = ir::mul(others, extent);
    }
    const Dim count = element_count(had);
    if (ir::is_constant(others, 0))
        throw OpError("the extent -1 of " + text_of(to) + " could be any");
    return ir::is_constant(others, 1) ? count : simplified(ir::floor_div(count, simplified(others)));
}

Shape target_of_reshape(const OpCall& call) {
    Shape to = dims_attribute(call, "shape");
    const auto is_open = [](const Dim& extent) { return ir::is_constant(extent, -1); };
    const auto open = std::ranges::find_if(to, is_open);
    if (std::ranges::count_if(to, is_open) > 1)
        throw OpError("more than one extent of " + text_of(to) + " is -1");
    const Shape& from = call.inputs[0].shape;
    const auto had = constant_of(element_count(from));
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto known = constant_of(to[i]);
        if (known && *known < -1)
            throw OpError("a shape cannot have the extent " + std::to_string(*known));
        // A tensor with elements has no extent of 0: it is that of x.
        if (known && *known == 0 && had && *had > 0 && i < from.size())
            to[i] = from[i];
    }
    if (open != to.end())
        *open = left_over(call.inputs[0].shape, to);
    return to;
}

} // namespace

const OpInfo& op_info::Reshape() {
    static const OpInfo info = {
        .id = OpId::Reshape,
        .python = "reshape",
        .parameters = "x, shape: shape",
        .cls = OpClass::Transform,
        .summary =
            "the same elements in row-major order under another shape, in which one extent may be -1; 0 of a tensor "
            "with elements is the extent that it has",
        .example = "hidet.ops.reshape(hidet.randn([2, 6]), [3, 4])",
        .define = [](const OpCall& call) { return define_reshape(call, "reshape", target_of_reshape(call)); },
        .shares_memory = true,
    };
    return info;
}

} // namespace hidet::graph
