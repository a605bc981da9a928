// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

const char* const operand_names[] = {"x", "y", "z"};

std::string operand_name(std::size_t i) {
    return i < 3 ? operand_names[i] : "x" + std::to_string(i);
}

Shape common_shape(const OpCall& call) {
    Shape shape;
    for (const TensorSpec& input : call.inputs)
        shape = broadcast(shape, input.shape);
    return shape;
}

ir::ExprRef value_at(const ir::VarVec& operands, const Indices& axes, const Variadic& value) {
    ir::ExprVec elements;
    for (const ir::VarRef& operand : operands)
        elements.push_back(at(operand, broadcast_index(shape_of(operand), axes)));
    return value(elements);
}

// An operand of the result's shape but for leading extents of 1 goes where its own index says.
void add_inverse(TaskBuilder& builder, std::size_t input, const Shape& operand, const Shape& result) {
    const std::size_t shift = result.size() - operand.size();
    for (std::size_t i = 0; i < result.size(); ++i)
        if (i < shift ? !ir::is_constant(result[i], 1) : !same_dim(operand[i - shift], result[i]))
            return;
    builder.inverse(input, [&](const Indices& axes) {
        Indices indices(shift, dim(0));
        for (std::size_t i = 0; i < axes.size(); ++i)
            indices.push_back(ir::is_constant(operand[i], 1) ? dim(0) : axes[i]);
        return indices;
    });
}

} // namespace

Task define_pointwise(const OpCall& call, const std::string& name, const Variadic& value) {
    TaskBuilder builder(name);
    ir::VarVec operands;
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        operands.push_back(builder.input(operand_name(i), call.inputs[i].dtype, call.inputs[i].shape));
    const Shape shape = common_shape(call);
    // The type of the result is that of the expression, which does not depend on the index.
    const ir::ExprRef sample = value_at(operands, Indices(shape.size(), dim(0)), value);
    const auto dtype = ir::scalar_of(sample->type);
    if (!dtype)
        throw OpError(name + " does not take these dtypes");
    const ir::VarRef result =
        builder.compute(name, *dtype, shape, [&](const Indices& axes) { return value_at(operands, axes, value); });
    for (std::size_t i = 0; i < operands.size(); ++i)
        add_inverse(builder, i, call.inputs[i].shape, shape);
    return builder.finish({result});
}

Task define_unary(const OpCall& call, const std::string& name, const Unary& value) {
    return define_pointwise(call, name, [&](const ir::ExprVec& x) { return value(x[0]); });
}

Task define_binary(const OpCall& call, const std::string& name, const Binary& value) {
    return define_pointwise(call, name, [&](const ir::ExprVec& x) { return value(x[0], x[1]); });
}

} // namespace hidet::graph
