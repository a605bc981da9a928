// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/norm/axis_stages.h"

#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

AxisStages::AxisStages(const OpCall& call, const std::string& name)
    : builder(name), name(name), shape(call.inputs[0].shape), dtype(call.inputs[0].dtype) {
    if (!ir::is_float(dtype))
        throw OpError(name + " wants a tensor of floats, not " + text_of(call.inputs[0]));
    axis = static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>("axis"), shape.size(), "axis"));
    work = float_type_for(dtype);
    x = builder.input("x", dtype, shape);
    m_kept = shape;
    m_kept[axis] = dim(1);
}

Indices AxisStages::kept(const Indices& axes) const {
    Indices index = axes;
    index[axis] = dim(0);
    return index;
}

ir::VarRef AxisStages::reduce(const char* stage, ReduceOp op, const Element& value) {
    return builder.reduce(stage, work, m_kept, op, {shape[axis]}, [&](const Indices& axes, const Indices& over) {
        Indices index = axes;
        index[axis] = over[0];
        return value(index);
    });
}

ir::VarRef AxisStages::largest() {
    return reduce("largest", ReduceOp::Max, [&](const Indices& axes) { return ir::cast_to(at(x, axes), work); });
}

ir::ExprRef AxisStages::shifted(const Indices& axes, const ir::VarRef& largest) const {
    return ir::sub(ir::cast_to(at(x, axes), work), at(largest, kept(axes)));
}

ir::VarRef AxisStages::sum_of_exp(const ir::VarRef& largest) {
    return reduce("sum", ReduceOp::Sum, [&](const Indices& axes) { return exp_of(shifted(axes, largest)); });
}

Task AxisStages::finish(const Element& value) {
    const ir::VarRef y = builder.compute(name, dtype, shape, value);
    return builder.finish({y});
}

} // namespace hidet::graph
