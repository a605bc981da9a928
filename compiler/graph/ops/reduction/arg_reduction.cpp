// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/arg_reduction.h"

#include "compiler/graph/ops/reduction/reduction.h"

namespace hidet::graph {

Task define_arg_reduction(const OpCall& call, const std::string& name, ReduceOp op) {
    const Attributes& given = call.attributes;
    const TensorSpec& input = call.inputs[0];
    const ReducedShape reduced =
        reduced_shape(input.shape, {given.get<std::int64_t>("dim")}, given.get<bool>("keepdims"));
    if (ir::is_constant(reduced.extents[0], 0))
        throw OpError(name + " along an empty dimension of " + text_of(input));
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", input.dtype, input.shape);
    const ir::VarRef y = builder.arg_reduce(
        name, reduced.shape, op, reduced.extents[0], given.get<bool>("select_last"),
        [&](const Indices& axes, const Indices& over) { return at(x, input_index(reduced, axes, over)); });
    return builder.finish({y});
}

} // namespace hidet::graph
