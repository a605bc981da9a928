// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/quant/quantization.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// Outputs: the integers, and the scale with the reduced dimensions as extents of 1.
Task define_symmetric_quantization(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const ir::DType dtype = call.attributes.get<ir::DType>("quant_type");
    if (!ir::is_float(x.dtype) || !ir::is_integer(dtype))
        throw OpError("symmetric_quantize takes floats to integers, not " + text_of(x) + " to " + ir::info(dtype).name);
    const ReducedShape reduced = reduced_shape(x.shape, call.attributes.get<Ints>("dims"), true);
    const ir::DType work = float_type_for(x.dtype);
    const double limit = static_cast<double>(ir::integer_range(dtype).highest);
    TaskBuilder builder("symmetric_quantize");
    const ir::VarRef tensor = builder.input("x", x.dtype, x.shape);
    const ir::VarRef largest = builder.reduce(
        "largest", work, reduced.shape, ReduceOp::Max, reduced.extents,
        [&](const Indices& axes, const Indices& over) { return abs_of(at(tensor, input_index(reduced, axes, over))); });
    const ir::VarRef scale = builder.compute("scale", x.dtype, reduced.shape, [&](const Indices& axes) {
        return ir::div(at(largest, axes), number(limit, work));
    });
    const ir::VarRef y = builder.compute("y", dtype, x.shape, [&](const Indices& axes) {
        const Expr peak = at(largest, result_index(reduced, axes));
        const Expr safe = ir::select(ir::equal(peak, number(0, work)), number(1, work), peak);
        const Expr value = ir::div(ir::mul(ir::cast_to(at(tensor, axes), work), number(limit, work)), safe);
        return quantised(value, nullptr, dtype);
    });
    return builder.finish({y, scale});
}

} // namespace

const OpInfo& op_info::SymmetricQuantization() {
    static const OpInfo info = {
        .id = OpId::SymmetricQuantization,
        .python = "symmetric_quantize",
        .parameters = "x, quant_type: dtype = 'int8', dims: ints = [-1]",
        .cls = OpClass::Reduction,
        .summary = "the tensor as integers whose range is that of the largest magnitude over `dims`, and the scales",
        .example = "hidet.ops.symmetric_quantize(hidet.randn([2, 3]))",
        .define = define_symmetric_quantization,
    };
    return info;
}

} // namespace hidet::graph
