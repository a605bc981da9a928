// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/quant/quantization.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// The result has the type of the scale.
Task define_dequantize_linear(const OpCall& call) {
    const Granularity granularity(call, "dequantize_linear");
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& scale = call.inputs[1];
    const bool has_zero = call.inputs.size() > 2;
    if (!ir::is_float(scale.dtype))
        throw OpError("dequantize_linear wants a scale of floats, not " + text_of(scale));
    const ir::DType work = float_type_for(scale.dtype);
    // A difference of integers is taken in integers.
    const ir::DType wide = ir::is_float(x.dtype) ? work : ir::info(x.dtype).bits < 32 ? ir::DType::I32 : ir::DType::I64;
    TaskBuilder builder("dequantize_linear");
    const ir::VarRef tensor = builder.input("x", x.dtype, x.shape);
    const ir::VarRef scales = builder.input("scale", scale.dtype, scale.shape);
    const ir::VarRef zeros =
        has_zero ? builder.input("zero_point", call.inputs[2].dtype, call.inputs[2].shape) : nullptr;
    const ir::VarRef y = builder.compute("y", scale.dtype, x.shape, [&](const Indices& axes) {
        Expr value = ir::cast_to(at(tensor, axes), wide);
        if (zeros)
            value = ir::sub(value, ir::cast_to(at(zeros, granularity.index(call.inputs[2].shape, axes)), wide));
        const Expr factor = at(scales, granularity.index(scale.shape, axes));
        return ir::mul(ir::cast_to(value, work), ir::cast_to(factor, work));
    });
    builder.inverse(0, [](const Indices& axes) { return axes; });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::DequantizeLinear() {
    static const OpInfo info = {
        .id = OpId::DequantizeLinear,
        .python = "dequantize_linear",
        .parameters = "x, scale, zero_point: tensor = None, axis: int = 1, block_size: int = 0",
        .cls = OpClass::Elementwise,
        .summary = "the elements less the zero point, times their scale",
        .example = "hidet.ops.dequantize_linear(hidet.ones([2, 3], dtype='int8'), hidet.ones([]))",
        .define = define_dequantize_linear,
    };
    return info;
}

} // namespace hidet::graph
