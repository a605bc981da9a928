// SPDX-License-Identifier: Apache-2.0
// Two unary operators and a binary one as a single operator. Rewrite rules make them, so that what follows matches one node.
// An inner operator is its name and its attributes as numbers, in the order of its parameters; no name is the identity.
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

class ElementReplacer : public ir::Rewriter {
public:
    ElementReplacer(const ir::VarVec& tensors, const ir::ExprVec& by)
        : Rewriter(0, Definitions::Copy), m_tensors(tensors), m_by(by) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const ir::TensorElement& element) override {
        for (std::size_t i = 0; i < m_tensors.size(); ++i)
            if (element.base.get() == m_tensors[i].get())
                return m_by[i];
        return rebuild(element);
    }

private:
    const ir::VarVec& m_tensors;
    const ir::ExprVec& m_by;
};

// The first attributes of the operator, as so many numbers.
Attributes attributes_of(const OpInfo& op, const Floats& arguments) {
    Attributes attributes;
    for (const Parameter& parameter : op.parameters)
        if (!parameter.is_tensor() && attributes.items().size() < arguments.size())
            attributes.set(parameter.name, arguments[attributes.items().size()]);
    if (attributes.items().size() < arguments.size())
        throw OpError(op.name, " has ", attributes.items().size(), " attributes, not ", arguments.size());
    return attributes;
}

// The operator's expression on values in place of elements.
ExprRef applied(const std::string& name, const Floats& arguments, const ir::ExprVec& values) {
    const OpInfo* op = find_op(name);
    if (!op || !op->define || op->cls != OpClass::Elementwise)
        throw OpError("'", name, "' is not an element-wise operator");
    std::vector<TensorSpec> inputs;
    for (const ExprRef& value : values)
        inputs.push_back({scalar_dtype(value), {}});
    check_arity(*op, values.size());
    const Task task = op->define(OpCall(*op, std::move(inputs), attributes_of(*op, arguments)));
    return ElementReplacer(task.inputs, values).rewrite(task.stages.at(0).value);
}

ExprRef branch(const Attributes& attributes, const std::string& side, const ExprRef& x) {
    const auto name = attributes.get_or(side + "_unary_op", std::string());
    return name.empty() ? x : applied(name, attributes.get_or(side + "_arguments", Floats()), {x});
}

ExprRef composed(const Attributes& attributes, const ExprRef& x, const ExprRef& y) {
    return shared(branch(attributes, "left", x), [&](const ExprRef& left) {
        return shared(branch(attributes, "right", y), [&](const ExprRef& right) {
            return applied(attributes.get<std::string>("binary_op"), {}, {left, right});
        });
    });
}

} // namespace

std::span<const OpInfo> op_tables::composite() {
    static const OpInfo table[] = {
        {OpId::CompositeElementwise, "composite_elementwise",
         "x, left_unary_op: str, right_unary_op: str, binary_op: str, left_arguments: floats = [], "
         "right_arguments: floats = []",
         OpClass::Elementwise, "a binary operator of what two unary ones make of the same tensor",
         "hidet.ops.composite_elementwise(hidet.randn([2, 3]), '', 'Sigmoid', 'Multiply')",
         [](const OpCall& call) {
             return define_unary(call, "composite_elementwise",
                                 [&](const ExprRef& x) { return composed(call.attributes, x, x); });
         }},
        {OpId::MultiInputCompositeElementwise, "multi_input_composite_elementwise",
         "x, y, left_unary_op: str, right_unary_op: str, binary_op: str, left_arguments: floats = [], "
         "right_arguments: floats = []",
         OpClass::Elementwise,
         "a binary operator of what two unary ones make of two tensors, broadcast to a common shape",
         "hidet.ops.multi_input_composite_elementwise(hidet.randn([2, 3]), hidet.randn([3]), 'Relu', 'Relu', 'Add')",
         [](const OpCall& call) {
             return define_binary(call, "multi_input_composite_elementwise",
                                  [&](const ExprRef& x, const ExprRef& y) { return composed(call.attributes, x, y); });
         }},
    };
    return table;
}

} // namespace hidet::graph
