// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/moments.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_variance(const OpCall& call, const std::string& name, bool takes_root) {
    const TensorSpec& input = call.inputs[0];
    if (!ir::is_float(input.dtype))
        throw OpError(name + " wants a tensor of floats, not " + text_of(input));
    const ReducedShape reduced = reduced_shape(call);
    const ir::DType work = float_type_for(input.dtype);
    // A sample of n elements says of n - 1 how far they are from their mean.
    const bool is_sample = call.attributes.get<bool>("unbiased");
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", input.dtype, input.shape);
    const Moments moments(builder, x, call.attributes.get<Ints>("dims"), work);
    const ir::VarRef y = builder.compute(name, input.dtype, reduced.shape, [&](const Indices& axes) {
        Expr value = moments.variance(input_index(reduced, axes, Indices(reduced.extents.size(), dim(0))));
        if (is_sample) {
            const Expr count = ir::cast_to(element_count(reduced.extents), work);
            value = ir::div(ir::mul(value, count), ir::sub(count, number(1, work)));
        }
        return takes_root ? sqrt_of(value) : value;
    });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::ReduceVar() {
    static const OpInfo info = {
        .id = OpId::ReduceVar,
        .python = "var",
        .parameters = "x, dims: ints = [], keepdims: bool = False, unbiased: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the variance over the dimensions `dims`, with `unbiased` that of a sample",
        .example = "hidet.ops.var(hidet.randn([2, 3]), dims=[1])",
        .define = [](const OpCall& call) { return define_variance(call, "var", false); },
    };
    return info;
}

const OpInfo& op_info::ReduceStd() {
    static const OpInfo info = {
        .id = OpId::ReduceStd,
        .python = "std",
        .parameters = "x, dims: ints = [], keepdims: bool = False, unbiased: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the standard deviation over the dimensions `dims`, with `unbiased` that of a sample",
        .example = "hidet.ops.std(hidet.randn([2, 3]), dims=[1])",
        .define = [](const OpCall& call) { return define_variance(call, "std", true); },
    };
    return info;
}

} // namespace hidet::graph
