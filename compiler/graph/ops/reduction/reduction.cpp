// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"

#include "compiler/ir/ops.h"

namespace hidet::graph {

ReducedShape reduced_shape(const OpCall& call) {
    return reduced_shape(call.inputs[0].shape, call.attributes.get<Ints>("dims"),
                         call.attributes.get<bool>("keepdims"));
}

ReducedShape reduced_shape(const Shape& input, const Ints& dims, bool keepdims) {
    ReducedShape reduced;
    reduced.keepdims = keepdims;
    reduced.is_reduced.assign(input.size(), dims.empty());
    for (std::int64_t given : dims) {
        const auto axis = static_cast<std::size_t>(normalise_axis(given, input.size(), "dimension"));
        if (reduced.is_reduced[axis])
            throw OpError("dimension " + std::to_string(given) + " is reduced twice");
        reduced.is_reduced[axis] = true;
    }
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (reduced.is_reduced[i])
            reduced.extents.push_back(input[i]);
        if (!reduced.is_reduced[i] || reduced.keepdims)
            reduced.shape.push_back(reduced.is_reduced[i] ? dim(1) : input[i]);
    }
    return reduced;
}

Indices input_index(const ReducedShape& reduced, const Indices& result, const Indices& over) {
    Indices index;
    std::size_t kept = 0;
    std::size_t gone = 0;
    for (const bool is_reduced : reduced.is_reduced) {
        index.push_back(is_reduced ? over[gone++] : result[kept]);
        kept += !is_reduced || reduced.keepdims;
    }
    return index;
}

Indices result_index(const ReducedShape& reduced, const Indices& input) {
    Indices index;
    for (std::size_t i = 0; i < input.size(); ++i)
        if (!reduced.is_reduced[i])
            index.push_back(input[i]);
        else if (reduced.keepdims)
            index.push_back(dim(0));
    return index;
}

Task define_reduction(const OpCall& call, const std::string& name, ReduceOp op) {
    const ReducedShape reduced = reduced_shape(call);
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", call.inputs[0].dtype, call.inputs[0].shape);
    const ir::VarRef y = builder.reduce(
        name, call.inputs[0].dtype, reduced.shape, op, reduced.extents,
        [&](const Indices& axes, const Indices& over) { return at(x, input_index(reduced, axes, over)); });
    return builder.finish({y});
}

Task define_mapped_reduction(const OpCall& call, const std::string& name, const MappedReduction& reduction) {
    const ReducedShape reduced = reduced_shape(call);
    const ir::DType dtype = call.inputs[0].dtype;
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", dtype, call.inputs[0].shape);
    const ir::VarRef combined =
        builder.reduce(reduction.finish ? "combined" : name, reduction.finish ? reduction.work : dtype, reduced.shape,
                       reduction.op, reduced.extents, [&](const Indices& axes, const Indices& over) {
                           return reduction.term(ir::cast_to(at(x, input_index(reduced, axes, over)), reduction.work));
                       });
    if (!reduction.finish)
        return builder.finish({combined});
    const ir::VarRef y = builder.compute(name, dtype, reduced.shape, [&](const Indices& axes) {
        return reduction.finish(at(combined, axes), element_count(reduced.extents));
    });
    return builder.finish({y});
}

} // namespace hidet::graph
