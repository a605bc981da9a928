// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_all(const OpCall& call) {
    const ReducedShape reduced = reduced_shape(call);
    TaskBuilder builder("all");
    const ir::VarRef x = builder.input("x", call.inputs[0].dtype, call.inputs[0].shape);
    const ir::VarRef y = builder.reduce("all", ir::DType::Bool, reduced.shape, ReduceOp::And, reduced.extents,
                                        [&](const Indices& axes, const Indices& over) {
                                            return ir::as_condition(at(x, input_index(reduced, axes, over)));
                                        });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::ReduceAnd() {
    static const OpInfo info = {
        .id = OpId::ReduceAnd,
        .python = "all",
        .parameters = "x, dims: ints = [], keepdims: bool = False",
        .cls = OpClass::Reduction,
        .summary = "whether all elements over the dimensions `dims` are not zero",
        .example = "hidet.ops.all(hidet.randn([2, 3]), dims=[1])",
        .define = define_all,
    };
    return info;
}

} // namespace hidet::graph
