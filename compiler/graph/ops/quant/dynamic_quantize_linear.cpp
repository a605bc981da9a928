// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/quant/quantization.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Outputs: y (uint8), its scale and its zero point, of which the range from the least to the largest element, zero among
// them, fills that of the type.
Task define_dynamic_quantize_linear(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    if (!ir::is_float(x.dtype))
        throw OpError("dynamic_quantize_linear wants a tensor of floats, not " + text_of(x));
    const ir::DType work = float_type_for(x.dtype);
    TaskBuilder builder("dynamic_quantize_linear");
    const ir::VarRef tensor = builder.input("x", x.dtype, x.shape);
    const auto element = [&](const Indices&, const Indices& over) { return at(tensor, over); };
    const ir::VarRef largest = builder.reduce("largest", work, {}, ReduceOp::Max, x.shape, element);
    const ir::VarRef least = builder.reduce("least", work, {}, ReduceOp::Min, x.shape, element);
    const Expr zero = number(0, work);
    const Expr low = smaller_of(zero, at(least, {}));
    const ir::VarRef scale = builder.compute("scale", x.dtype, {}, [&](const Indices&) {
        const Expr range = ir::sub(larger_of(zero, at(largest, {})), low);
        const Expr safe = ir::select(ir::equal(range, zero), number(1, work), range);
        return ir::div(safe, number(255, work));
    });
    const Expr divisor = ir::cast_to(at(scale, {}), work);
    const ir::VarRef zero_point = builder.compute("zero_point", ir::DType::U8, {}, [&](const Indices&) {
        return quantised(ir::div(ir::sub(zero, low), divisor), nullptr, ir::DType::U8);
    });
    const ir::VarRef y = builder.compute("y", ir::DType::U8, x.shape, [&](const Indices& axes) {
        return quantised(ir::div(ir::cast_to(at(tensor, axes), work), divisor), at(zero_point, {}), ir::DType::U8);
    });
    return builder.finish({y, scale, zero_point});
}

} // namespace

const OpInfo& op_info::DynamicQuantizeLinear() {
    static const OpInfo info = {
        .id = OpId::DynamicQuantizeLinear,
        .python = "dynamic_quantize_linear",
        .parameters = "x",
        .cls = OpClass::Reduction,
        .summary = "the tensor as bytes, with a scale and a zero point that its range gives",
        .example = "hidet.ops.dynamic_quantize_linear(hidet.randn([2, 3]))",
        .define = define_dynamic_quantize_linear,
    };
    return info;
}

} // namespace hidet::graph
