// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/moments.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_normalize(const OpCall& call) {
    const TensorSpec& input = call.inputs[0];
    if (!ir::is_float(input.dtype))
        throw OpError("normalize wants a tensor of floats, not " + text_of(input));
    const ir::DType work = call.attributes.get_or("accumulate_dtype", float_type_for(input.dtype));
    const double epsilon = call.attributes.get<double>("epsilon");
    TaskBuilder builder("normalize");
    const ir::VarRef x = builder.input("x", input.dtype, input.shape);
    const Moments moments(builder, x, call.attributes.get<Ints>("dims"), work);
    const ir::VarRef y = builder.compute("normalize", input.dtype, input.shape, [&](const Indices& axes) {
        return ir::div(moments.centred(axes), sqrt_of(ir::add(moments.variance(axes), number(epsilon, work))));
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::Normalize() {
    static const OpInfo info = {
        .id = OpId::Normalize,
        .python = "normalize",
        .parameters = "x, dims: ints, epsilon: float = 1e-5, accumulate_dtype: dtype = None",
        .cls = OpClass::Reduction,
        .summary = "the elements less their mean, over the root of their variance plus `epsilon`, over `dims`",
        .example = "hidet.ops.normalize(hidet.randn([2, 3]), dims=[1])",
        .define = define_normalize,
    };
    return info;
}

} // namespace hidet::graph
