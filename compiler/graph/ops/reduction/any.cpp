// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_any(const OpCall& call) {
    const ReducedShape reduced = reduced_shape(call);
    TaskBuilder builder("any");
    const ir::VarRef x = builder.input("x", call.inputs[0].dtype, call.inputs[0].shape);
    const ir::VarRef y = builder.reduce("any", ir::DType::Bool, reduced.shape, ReduceOp::Or, reduced.extents,
                                        [&](const Indices& axes, const Indices& over) {
                                            return ir::as_condition(at(x, input_index(reduced, axes, over)));
                                        });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::ReduceOr() {
    static const OpInfo info = {
        .id = OpId::ReduceOr,
        .python = "any",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "whether any element over the dimensions `dims` is not zero",
        .example = "hidet.ops.any(hidet.randn([2, 3]), dims=[1])",
        .define = define_any,
    };
    return info;
}

} // namespace hidet::graph
