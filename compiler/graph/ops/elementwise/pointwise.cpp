// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"

#include <unordered_map>

#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

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

class UseCounter : public ir::Walker {
public:
    std::unordered_map<const ir::Var*, int> uses;

protected:
    using Walker::visit;
    void visit(const ir::Var& var) override { ++uses[&var]; }
};

struct Formula {
    ir::VarVec variables; // one an operand
    ir::ExprRef body;
};

Formula formula_of(const OpCall& call, const std::string& name, const Variadic& value) {
    Formula formula;
    ir::ExprVec arguments;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        formula.variables.push_back(ir::make_var(operand_name(i), ir::data_type(call.inputs[i].dtype)));
        arguments.push_back(formula.variables.back());
    }
    try {
        formula.body = value(arguments);
    } catch (const ir::TypeError& error) {
        throw OpError(name + ": " + error.what());
    }
    return formula;
}

ir::ExprRef on_elements(const Formula& formula, const ir::ExprVec& elements) {
    UseCounter counter;
    counter.walk(formula.body);
    ir::Rewriter rewriter(0, ir::Rewriter::Definitions::Copy);
    std::vector<std::pair<ir::VarRef, ir::ExprRef>> lets;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (counter.uses[formula.variables[i].get()] <= 1) {
            rewriter.replace(formula.variables[i], elements[i]);
            continue;
        }
        lets.emplace_back(ir::make_var(formula.variables[i]->name, formula.variables[i]->type), elements[i]);
        rewriter.replace(formula.variables[i], lets.back().first);
    }
    ir::ExprRef result = rewriter.rewrite(formula.body);
    for (std::size_t i = lets.size(); i-- > 0;)
        result = ir::make_let(lets[i].first, lets[i].second, result);
    return result;
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

void require_broadcast(TaskBuilder& builder, const Shape& operand, const Shape& result, const std::string& name) {
    const std::size_t shift = result.size() - operand.size();
    for (std::size_t i = 0; i < operand.size(); ++i)
        if (!ir::is_constant(operand[i], 1))
            builder.require_equal(operand[i], result[shift + i],
                                  name + ": shape " + text_of(operand) + " does not broadcast to " + text_of(result));
}

Task define_pointwise(const OpCall& call, const std::string& name, const Variadic& value) {
    TaskBuilder builder(name);
    ir::VarVec operands;
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        operands.push_back(builder.input(operand_name(i), call.inputs[i].dtype, call.inputs[i].shape));
    const Shape shape = common_shape(call);
    const Formula formula = formula_of(call, name, value);
    const ir::VarRef result = builder.compute(name, scalar_dtype(formula.body), shape, [&](const Indices& axes) {
        ir::ExprVec elements;
        for (const ir::VarRef& operand : operands)
            elements.push_back(at(operand, broadcast_index(shape_of(operand), axes)));
        return on_elements(formula, elements);
    });
    for (const TensorSpec& input : call.inputs)
        require_broadcast(builder, input.shape, shape, name);
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
