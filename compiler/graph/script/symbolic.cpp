// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/symbolic.h"

#include "compiler/graph/script/methods.h"
#include "compiler/graph/script/script_graphs.h"
#include "lang/base/text.h"
#include "lang/host/boxed.h"
#include "lang/host/evaluator.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

using lang::ast::BinaryOp;
using lang::ast::CompareOp;
using Operand = lang::Value;

const OpInfo* operator_of(CompareOp op) {
    switch (op) {
    case CompareOp::Eq: return &op_info::Equal();
    case CompareOp::Ne: return &op_info::NotEqual();
    case CompareOp::Lt: return &op_info::Less();
    case CompareOp::Le: return &op_info::LessEqual();
    case CompareOp::Gt: return &op_info::Greater();
    case CompareOp::Ge: return &op_info::GreaterEqual();
    default: return nullptr;
    }
}

bool is_operand(const Operand& value) {
    return value.is_number() || value.is(lang::ValueKind::Tensor) || value.extension<SymbolicTensor>();
}

std::unique_ptr<Operand> applied(lang::Evaluator& evaluator, ScriptGraphs& graphs, const OpInfo* op,
                                 std::vector<Operand> operands, Span span) {
    if (!op || !is_operand(operands.back()) || !is_operand(operands.front()))
        return nullptr;
    return boxed(graphs.apply(evaluator, *op, operands, {}, span).front());
}

} // namespace

const OpInfo* operator_of(BinaryOp op) {
    switch (op) {
    case BinaryOp::Add: return &op_info::Add();
    case BinaryOp::Sub: return &op_info::Subtract();
    case BinaryOp::Mul: return &op_info::Multiply();
    case BinaryOp::Div: return &op_info::Divide();
    case BinaryOp::Mod: return &op_info::Mod();
    case BinaryOp::Pow: return &op_info::Pow();
    case BinaryOp::MatMul: return &op_info::Matmul();
    case BinaryOp::Shl: return &op_info::LeftShift();
    case BinaryOp::Shr: return &op_info::RightShift();
    case BinaryOp::BitAnd: return &op_info::BitwiseAnd();
    case BinaryOp::BitOr: return &op_info::BitwiseOr();
    case BinaryOp::BitXor: return &op_info::BitwiseXor();
    case BinaryOp::FloorDiv: return nullptr;
    }
    return nullptr;
}

lang::Value shape_value(const Shape& shape) {
    std::vector<lang::Value> items;
    for (const Dim& each : shape) {
        const auto extent = constant_of(each);
        items.push_back(extent ? lang::Value::integer(*extent) : lang::Value::expr(each));
    }
    return lang::Value::tuple(std::move(items));
}

const Value& SymbolicTensor::value() const {
    return graphs.traced.value(id);
}

std::string SymbolicTensor::repr() const {
    std::string extents;
    for (const Dim& each : value().spec.shape)
        extents += (extents.empty() ? "" : ", ") + text_of(Shape{each}).substr(1, text_of(Shape{each}).size() - 2);
    if (value().spec.shape.size() == 1)
        extents += ",";
    std::string text = cat("Tensor(shape=(", extents, "), dtype='", ir::info(value().spec.dtype).name, "', device='",
                           device_name(value().device), "')");
    if (value().producer.valid())
        text += cat("\nfrom (", graphs.traced.node(value().producer).op->name, ", ", value().output, ")");
    return text;
}

std::vector<std::string> SymbolicTensor::attributes() const {
    std::vector<std::string> names = {"shape", "dtype", "device", "trace", "op", "storage", "ndim", "T"};
    for (const char* method : symbolic_method_names())
        names.emplace_back(method);
    return names;
}

std::unique_ptr<Operand> SymbolicTensor::attribute(lang::Evaluator& evaluator, std::string_view name, Span span) {
    const Value& self = value();
    if (name == "shape")
        return boxed(shape_value(self.spec.shape));
    if (name == "dtype")
        return boxed(lang::dtype_value(self.spec.dtype, false));
    if (name == "device")
        return boxed(Operand::extension(Ref<NativeObject>(new lang::DeviceValue(self.device, false))));
    if (name == "ndim")
        return boxed(Operand::integer(static_cast<std::int64_t>(self.spec.shape.size())));
    if (name == "storage" || name == "layout")
        return boxed(Operand());
    if ((name == "trace" || name == "op") && !self.producer.valid())
        return boxed(Operand());
    if (name == "op")
        return boxed(operator_value(graphs, self.producer));
    if (name == "trace")
        return boxed(Operand::tuple({operator_value(graphs, self.producer), Operand::integer(self.output)}));
    return symbolic_method(evaluator, *this, name, span);
}

std::unique_ptr<Operand> SymbolicTensor::subscript(lang::Evaluator& evaluator, const Operand& index, Span span) {
    return boxed(symbolic_index(evaluator, *this, index, span));
}

std::unique_ptr<Operand> SymbolicTensor::unary(lang::Evaluator& evaluator, lang::ast::UnaryOp op, Span span) {
    const Operand self = graphs.symbolic(id);
    switch (op) {
    case lang::ast::UnaryOp::Plus: return boxed(self);
    case lang::ast::UnaryOp::Minus: return applied(evaluator, graphs, &op_info::Negative(), {self}, span);
    case lang::ast::UnaryOp::Invert: return applied(evaluator, graphs, &op_info::BitwiseNot(), {self}, span);
    case lang::ast::UnaryOp::Not: return nullptr;
    }
    return nullptr;
}

std::unique_ptr<Operand> SymbolicTensor::binary(lang::Evaluator& evaluator, BinaryOp op, const Operand& other,
                                                bool on_right, Span span) {
    const Operand self = graphs.symbolic(id);
    return applied(evaluator, graphs, operator_of(op),
                   on_right ? std::vector<Operand>{other, self} : std::vector<Operand>{self, other}, span);
}

std::unique_ptr<Operand> SymbolicTensor::compare(lang::Evaluator& evaluator, CompareOp op, const Operand& other,
                                                 bool on_right, Span span) {
    const Operand self = graphs.symbolic(id);
    return applied(evaluator, graphs, operator_of(op),
                   on_right ? std::vector<Operand>{other, self} : std::vector<Operand>{self, other}, span);
}

bool SymbolicTensor::equals(const NativeObject& other) const {
    const auto* that = dynamic_cast<const SymbolicTensor*>(&other);
    return that && &that->graphs == &graphs && that->id == id;
}

} // namespace hidet::graph
