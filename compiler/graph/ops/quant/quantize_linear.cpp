// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/quant/quantization.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Inputs: x, scale and, if it is given, a zero point, whose type is that of the result unless the attribute dtype names one.
Task define_quantize_linear(const OpCall& call) {
    const Granularity granularity(call, "quantize_linear");
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& scale = call.inputs[1];
    const bool has_zero = call.inputs.size() > 2;
    const ir::DType dtype = call.attributes.get_or("dtype", has_zero ? call.inputs[2].dtype : ir::DType::U8);
    if (!ir::is_float(scale.dtype) && scale.dtype != ir::DType::I32)
        throw OpError("quantize_linear wants a scale of floats, not " + text_of(scale));
    const ir::DType work = ir::is_float(x.dtype) ? float_type_for(x.dtype) : ir::DType::F32;
    TaskBuilder builder("quantize_linear");
    const ir::VarRef tensor = builder.input("x", x.dtype, x.shape);
    const ir::VarRef scales = builder.input("scale", scale.dtype, scale.shape);
    const ir::VarRef zeros =
        has_zero ? builder.input("zero_point", call.inputs[2].dtype, call.inputs[2].shape) : nullptr;
    const ir::VarRef y = builder.compute("y", stored_as(dtype), x.shape, [&](const Indices& axes) {
        const Expr divisor = at(scales, granularity.index(scale.shape, axes));
        const Expr value = ir::div(ir::cast_to(at(tensor, axes), work), ir::cast_to(divisor, work));
        return quantised(value, zeros ? at(zeros, granularity.index(call.inputs[2].shape, axes)) : nullptr, dtype);
    });
    builder.inverse(0, [](const Indices& axes) { return axes; });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::QuantizeLinear() {
    static const OpInfo info = {
        .id = OpId::QuantizeLinear,
        .python = "quantize_linear",
        .parameters = "x, scale, zero_point: tensor = None, axis: int = 1, block_size: int = 0, dtype: dtype = None",
        .cls = OpClass::Elementwise,
        .summary = "the elements over their scale, rounded, plus the zero point, in the range of the type",
        .example = "hidet.ops.quantize_linear(hidet.randn([2, 3]), hidet.ones([]), dtype='int8')",
        .define = define_quantize_linear,
    };
    return info;
}

} // namespace hidet::graph
