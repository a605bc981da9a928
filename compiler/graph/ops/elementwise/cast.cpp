// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// A float becomes a narrow integer by way of a wide one, whose bits are cut: what NumPy does, and the same on every machine.
ir::ExprRef converted(const ir::ExprRef& x, ir::DType to) {
    const bool is_cut = ir::is_float(scalar_dtype(x)) && ir::is_integer(to) && to != ir::DType::Bool;
    if (is_cut && ir::info(to).bits < 32)
        return ir::cast_to(ir::cast_to(x, ir::DType::I32), to);
    if (is_cut && to == ir::DType::U32)
        return ir::cast_to(ir::cast_to(x, ir::DType::I64), to);
    return ir::cast_to(x, to);
}

} // namespace

const OpInfo& op_info::Cast() {
    static const OpInfo info = {
        .id = OpId::Cast,
        .python = "cast",
        .parameters = "x, dtype: dtype",
        .cls = OpClass::Elementwise,
        .summary =
            "the same numbers in another type: floats become integers toward zero, within 32 or 64 bits; a narrower "
            "integer keeps the low bits, bool is whether a number is not zero",
        .example = "hidet.ops.cast(hidet.randn([2, 3]), 'float16')",
        .define =
            [](const OpCall& call) {
                const auto dtype = call.attributes.get<ir::DType>("dtype");
                return define_unary(call, "cast", [&](const ir::ExprRef& x) { return converted(x, dtype); });
            },
    };
    return info;
}

} // namespace hidet::graph
