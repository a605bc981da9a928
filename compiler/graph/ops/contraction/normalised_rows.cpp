// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/normalised_rows.h"

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/root_mean_square.h"

namespace hidet::graph {

ir::VarRef rms_normalised(TaskBuilder& builder, const OpCall& call, const ir::VarRef& a, const ir::VarRef& gain) {
    const ir::DType dtype = dtype_of(a);
    const Shape& shape = shape_of(a);
    if (!ir::is_float(dtype) || !ir::is_float(dtype_of(gain)) || shape.empty() || shape_of(gain).size() != 1)
        throw OpError(call.op->python, " wants rows of floats and a gain for each of their elements, not ",
                      text_of(call.inputs[0]), " and a gain of ", text_of(shape_of(gain)));
    builder.require_equal(shape.back(), shape_of(gain)[0], std::string(call.op->python) + ": rows and gain differ");
    const ir::DType work = float_type_for(dtype);
    const Element root = root_mean_square(builder, a, {static_cast<std::int64_t>(shape.size()) - 1}, work,
                                          call.attributes.get<double>("epsilon"));
    const bool is_wide = ir::info(dtype_of(gain)).bits > ir::info(dtype).bits;
    return builder.compute("rows", dtype, shape, [&](const Indices& axes) {
        const Expr value = ir::div(ir::cast_to(at(a, axes), work), root(axes));
        const Expr factor = at(gain, {axes.back()});
        if (is_wide)
            return ir::cast_to(ir::mul(value, ir::cast_to(factor, work)), dtype);
        return ir::mul(ir::cast_to(value, dtype), ir::cast_to(factor, dtype));
    });
}

Task finish_gated(TaskBuilder& builder, const OpCall& call, const ir::VarRef& gate, const ir::VarRef& sum,
                  ir::DType dtype) {
    const auto name = call.attributes.get<std::string>("gate");
    if (name != "silu" && name != "gelu_tanh")
        throw OpError(call.op->python, " knows no gate '", name, "'; there are silu and gelu_tanh");
    return builder.finish(call.op->python, dtype, shape_of(gate), [&](const Indices& axes) {
        const Expr value = shared(at(gate, axes), name == "silu" ? silu_of : gelu_by_tanh_of);
        return ir::cast_to(ir::mul(value, at(sum, axes)), dtype);
    });
}

} // namespace hidet::graph
