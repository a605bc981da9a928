// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/host_steps.h"

#include <algorithm>

#include "compiler/graph/plan/extent.h"

namespace hidet::graph {

namespace {

using artifact::AttributeKind;
using artifact::HostOperator;
using artifact::PlanAttribute;
using artifact::Row;

HostOperator operator_of(const OpInfo& op) {
    for (std::size_t i = 0; i < artifact::enum_count<HostOperator>; ++i)
        if (std::string_view(op.name) == enum_name(static_cast<HostOperator>(i)))
            return static_cast<HostOperator>(i);
    throw OpError(std::string(op.name) + " is not an operator that a plan can name");
}

class Packer {
public:
    Packer(std::string name, artifact::LaunchPlan& plan, Expressions& expressions,
           std::vector<lang::TensorRef>& weights)
        : m_plan(plan), m_expressions(expressions), m_weights(weights) {
        m_out.name = std::move(name);
    }
    PlanAttribute take(const Attribute& value) {
        std::visit([this](const auto& each) { pack(each); }, value);
        return std::move(m_out);
    }

private:
    void as(AttributeKind kind) { m_out.kind = kind; }
    void pack(bool value) { m_out.ints = {value}, as(AttributeKind::Bool); }
    void pack(std::int64_t value) { m_out.ints = {value}, as(AttributeKind::Int); }
    void pack(double value) { m_out.reals = {value}, as(AttributeKind::Real); }
    void pack(const std::string& value) { m_out.texts = {value}, as(AttributeKind::Text); }
    void pack(ir::DType value) { m_out.texts = {ir::info(value).name}, as(AttributeKind::DType); }
    void pack(const Ints& value) { m_out.ints = value, as(AttributeKind::Ints); }
    void pack(const Floats& value) { m_out.reals = value, as(AttributeKind::Reals); }
    void pack(const Texts& value) { m_out.texts = value, as(AttributeKind::Texts); }
    void pack(const Shape& value) { m_out.rows = m_expressions.of(value), as(AttributeKind::Shape); }
    void pack(const lang::TensorRef& value) {
        m_out.rows = {static_cast<Row>(m_plan.weights.size())};
        m_plan.weights.push_back(weight_of(*value));
        m_weights.push_back(value);
        as(AttributeKind::Weight);
    }
    void pack(const std::shared_ptr<const Graph>&) { refuse(); }
    void pack(const std::shared_ptr<const Task>&) { refuse(); }
    [[noreturn]] void refuse() const { throw OpError("attribute '" + m_out.name + "' is not data of a plan"); }

    artifact::LaunchPlan& m_plan;
    Expressions& m_expressions;
    std::vector<lang::TensorRef>& m_weights;
    PlanAttribute m_out;
};

Shape unpacked(const std::vector<Row>& rows, const std::vector<artifact::ExprValue>& expressions) {
    Shape shape;
    for (const Row row : rows) {
        if (!expressions[row])
            throw OpError("an attribute of an operator depends on what is not known yet");
        shape.push_back(dim(*expressions[row]));
    }
    return shape;
}

Attribute unpacked(const PlanAttribute& attribute, const std::vector<artifact::ExprValue>& expressions,
                   const std::vector<lang::TensorRef>& weights) {
    switch (attribute.kind) {
    case AttributeKind::Bool: return attribute.ints[0] != 0;
    case AttributeKind::Int: return attribute.ints[0];
    case AttributeKind::Real: return attribute.reals[0];
    case AttributeKind::Text: return attribute.texts[0];
    case AttributeKind::DType: {
        const auto dtype = ir::find_dtype(attribute.texts[0]);
        return dtype ? Attribute(*dtype) : throw OpError("there is no type '" + attribute.texts[0] + "'");
    }
    case AttributeKind::Ints: return attribute.ints;
    case AttributeKind::Reals: return attribute.reals;
    case AttributeKind::Texts: return attribute.texts;
    case AttributeKind::Shape: return unpacked(attribute.rows, expressions);
    case AttributeKind::Weight: return weights[attribute.rows[0]];
    }
    return false;
}

} // namespace

artifact::PlanWeight weight_of(const lang::Tensor& tensor) {
    artifact::PlanWeight weight;
    weight.dtype = ir::info(tensor.dtype).name;
    weight.shape = tensor.shape;
    weight.bytes = static_cast<std::uint64_t>(tensor.count() * item_bytes(tensor.dtype));
    weight.strides.resize(tensor.shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = tensor.shape.size(); i-- > 0; stride *= tensor.shape[i])
        weight.strides[i] = stride;
    return weight;
}

void describe_host(const Node& node, artifact::PlanStep& step, artifact::LaunchPlan& plan, Expressions& expressions,
                   std::vector<lang::TensorRef>& weights) {
    step.op = operator_of(*node.op);
    for (const auto& [name, value] : node.attributes.items())
        step.attributes.push_back(Packer(name, plan, expressions, weights).take(value));
}

OpCall host_call(const artifact::PlanStep& step, const std::vector<artifact::ExprValue>& expressions,
                 const std::vector<lang::TensorRef>& weights) {
    const OpInfo* op = find_op(enum_name(step.op));
    HIDET_CHECK(op && op->run, enum_name(step.op));
    Attributes attributes;
    for (const PlanAttribute& attribute : step.attributes)
        attributes.set(attribute.name, unpacked(attribute, expressions, weights));
    return OpCall(*op, {}, std::move(attributes));
}

} // namespace hidet::graph
