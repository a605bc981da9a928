// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_rms_normalize(const OpCall& call) {
    const TensorSpec& input = call.inputs[0];
    if (!ir::is_float(input.dtype))
        throw OpError("rms_normalize wants a tensor of floats, not " + text_of(input));
    const ReducedShape reduced = reduced_shape(input.shape, call.attributes.get<Ints>("dims"), true);
    const ir::DType work = call.attributes.get_or("accumulate_dtype", float_type_for(input.dtype));
    const double epsilon = call.attributes.get<double>("epsilon");
    TaskBuilder builder("rms_normalize");
    const ir::VarRef x = builder.input("x", input.dtype, input.shape);
    const auto element = [&](const Indices& axes) { return ir::cast_to(at(x, axes), work); };
    const ir::VarRef squares = builder.reduce("squares", work, reduced.shape, ReduceOp::Sum, reduced.extents,
                                              [&](const Indices& axes, const Indices& over) {
                                                  const Expr value = element(input_index(reduced, axes, over));
                                                  return ir::mul(value, value);
                                              });
    const ir::VarRef y = builder.compute("rms_normalize", input.dtype, input.shape, [&](const Indices& axes) {
        const Expr mean =
            ir::div(at(squares, result_index(reduced, axes)), ir::cast_to(element_count(reduced.extents), work));
        return ir::div(element(axes), sqrt_of(ir::add(mean, number(epsilon, work))));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::RmsNormalize() {
    static const OpInfo info = {
        .id = OpId::RmsNormalize,
        .python = "rms_normalize",
        .parameters = "x, dims: ints, epsilon: float = 1e-5, accumulate_dtype: dtype = None",
        .cls = OpClass::Reduction,
        .summary = "the elements over the root of the mean of their squares plus `epsilon`, over `dims`",
        .example = "hidet.ops.rms_normalize(hidet.randn([2, 3]), dims=[1])",
        .define = define_rms_normalize,
    };
    return info;
}

} // namespace hidet::graph
