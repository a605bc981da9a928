// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/moments.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// ONNX adds this to the deviation, not to the variance.
constexpr double least_deviation = 1e-9;

Task define_mean_variance_normalization(const OpCall& call) {
    const TensorSpec& input = call.inputs[0];
    if (!ir::is_float(input.dtype))
        throw OpError("mean_variance_normalization wants a tensor of floats, not " + text_of(input));
    const ir::DType work = float_type_for(input.dtype);
    TaskBuilder builder("mean_variance_normalization");
    const ir::VarRef x = builder.input("x", input.dtype, input.shape);
    const Moments moments(builder, x, call.attributes.get<Ints>("axes"), work);
    const ir::VarRef y = builder.compute(builder.task().name, input.dtype, input.shape, [&](const Indices& axes) {
        const Expr deviation = ir::add(sqrt_of(moments.variance(axes)), number(least_deviation, work));
        return ir::div(moments.centred(axes), deviation);
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::MeanVarianceNormalization() {
    static const OpInfo info = {
        .id = OpId::MeanVarianceNormalization,
        .python = "mean_variance_normalization",
        .parameters = "x, axes: ints = [0, 2, 3]",
        .cls = OpClass::Reduction,
        .summary = "the elements less their mean over their standard deviation, over `axes`",
        .example = "hidet.ops.mean_variance_normalization(hidet.randn([1, 2, 3, 3]))",
        .define = define_mean_variance_normalization,
    };
    return info;
}

} // namespace hidet::graph
