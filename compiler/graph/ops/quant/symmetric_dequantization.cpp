// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_symmetric_dequantization(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& scale = call.inputs[1];
    if (!same_shape(broadcast(x.shape, scale.shape), x.shape))
        throw OpError("symmetric_dequantize: a scale of shape " + text_of(scale.shape) + " is not one for " +
                      text_of(x));
    const ir::DType work = float_type_for(scale.dtype);
    TaskBuilder builder("symmetric_dequantize");
    const ir::VarRef tensor = builder.input("x", x.dtype, x.shape);
    const ir::VarRef scales = builder.input("scale", scale.dtype, scale.shape);
    const ir::VarRef y = builder.compute("y", scale.dtype, x.shape, [&](const Indices& axes) {
        return ir::mul(ir::cast_to(at(tensor, axes), work),
                       ir::cast_to(at(scales, broadcast_index(scale.shape, axes)), work));
    });
    builder.inverse(0, [](const Indices& axes) { return axes; });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::SymmetricDeQuantization() {
    static const OpInfo info = {
        .id = OpId::SymmetricDeQuantization,
        .python = "symmetric_dequantize",
        .parameters = "x, scale, dims: ints = [-1]",
        .cls = OpClass::Elementwise,
        .summary = "integers times their scales",
        .example = "hidet.ops.symmetric_dequantize(hidet.ones([2, 3], dtype='int8'), hidet.ones([2, 1]))",
        .define = define_symmetric_dequantization,
    };
    return info;
}

} // namespace hidet::graph
