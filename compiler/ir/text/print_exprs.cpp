// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/printer.h"
#include "lang/base/text.h"

namespace hidet::ir {

namespace {

std::string number(const ConstantValue& value, bool is_f32) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return is_f32 && static_cast<float>(*real) == *real ? shortest_float(static_cast<float>(*real))
                                                            : shortest(*real);
    return quote(std::get<std::string>(value));
}

bool is_closed(const TypeRef& type) {
    bool closed = type->kind != Kind::TensorType && type->kind != Kind::TensorPointerType;
    for_each_child(*type, [&](const Node* child) {
        closed = closed && child && is_closed(TypeRef(static_cast<const Type*>(child)));
    });
    return closed;
}

} // namespace

void Printer::expr(const ExprRef& expr, Precedence place) {
    if (!expr)
        return put("null");
    At at(*this, expr->kind == Kind::Var ? Origin{} : expr->origin);
    switch (kind_of(*expr)) {
    case ExprKind::Var: return put(m_names.name_of(static_cast<const Var&>(*expr)));
    case ExprKind::SymbolVar: return symbol(static_cast<const SymbolVar&>(*expr));
    case ExprKind::BuiltinVar: return put(builtin_name(static_cast<const BuiltinVar&>(*expr).which));
    case ExprKind::Constant: return constant(static_cast<const Constant&>(*expr));
    case ExprKind::Unary: return unary(static_cast<const Unary&>(*expr), place);
    case ExprKind::Binary: return binary(static_cast<const Binary&>(*expr), place);
    case ExprKind::TensorElement: {
        const auto& e = static_cast<const TensorElement&>(*expr);
        return element(e.base, e.indices, e.is_protected);
    }
    case ExprKind::TensorSlice: return slice(static_cast<const TensorSlice&>(*expr));
    case ExprKind::Call: return function_call(static_cast<const Call&>(*expr));
    case ExprKind::Intrinsic: return intrinsic(static_cast<const Intrinsic&>(*expr));
    case ExprKind::Let: {
        const auto& e = static_cast<const Let&>(*expr);
        put("(let "), own_definition(*e.var), put(" = "), this->expr(e.value), put(" in "), this->expr(e.body);
        return put(")");
    }
    case ExprKind::Cast:
        put("cast("), this->expr(static_cast<const Cast&>(*expr).a), put(", "), type(expr->type);
        return put(")");
    case ExprKind::Select: {
        const auto& e = static_cast<const Select&>(*expr);
        put("("), this->expr(e.a), put(" if "), this->expr(e.condition), put(" else "), this->expr(e.b);
        return put(")");
    }
    case ExprKind::Deref: return prefixed("*", static_cast<const Deref&>(*expr).pointer, place);
    case ExprKind::Address: return prefixed("&", static_cast<const Address&>(*expr).place, place);
    }
}

void Printer::symbol(const SymbolVar& e) {
    if (is_identifier(e.name) && scalar_of(e.type) == DType::I32)
        return put("@"), put(e.name);
    put("symbol("), put(quote(e.name)), put(", "), type(e.type), put(")");
}

void Printer::constant(const Constant& e) {
    const auto* data = as<DataType>(e.type);
    bool is_int = std::holds_alternative<std::int64_t>(e.value);
    bool is_real = std::holds_alternative<double>(e.value);
    if (!is_int && !is_real && e.type->kind == Kind::StringType)
        return put(number(e.value, false));
    bool fits = data && ((is_int && (is_integer(data->dtype) || is_subbyte(data->dtype))) ||
                         (is_real && is_float(data->dtype)));
    if (!fits) {
        put("constant("), put(number(e.value, false)), put(", "), type(e.type);
        return put(")");
    }
    std::string text = number(e.value, data->dtype == DType::F32);
    bool is_word = text.back() == 'f' || text.back() == 'n'; // inf, nan
    if (data->dtype == DType::Bool)
        return put(text == "0" ? "False" : "True");
    if (data->dtype == DType::I32 || (data->dtype == DType::F32 && !is_word))
        return put(text);
    if (data->dtype == DType::U64 && text.front() == '-')
        text = std::to_string(static_cast<std::uint64_t>(std::get<std::int64_t>(e.value)));
    put(info(data->dtype).short_name), put("("), put(text), put(")");
}

void Printer::enclosed(const ExprRef& e, bool in_parentheses) {
    put(in_parentheses ? "(" : ""), expr(e), put(in_parentheses ? ")" : "");
}

void Printer::unary(const Unary& e, Precedence place) {
    if (e.op == UnOp::BitNot)
        return put("bitwise_not("), expr(e.a), put(")");
    Precedence own = e.op == UnOp::Not ? Precedence::Not : Precedence::Unary;
    bool in_parentheses = place > own;
    put(in_parentheses ? "(" : "");
    put(e.op == UnOp::Not ? "not " : "-");
    if (e.op == UnOp::Neg && e.a && e.a->kind == Kind::Constant)
        enclosed(e.a, true); // "-5" is a constant
    else
        expr(e.a, own);
    put(in_parentheses ? ")" : "");
}

void Printer::binary(const Binary& e, Precedence place) {
    Precedence own = precedence_of(e.op);
    auto tighter = static_cast<Precedence>(static_cast<int>(own) + 1);
    bool in_parentheses = place > own;
    put(in_parentheses ? "(" : "");
    expr(e.a, own == Precedence::Comparison ? tighter : own); // comparisons do not chain
    put(" "), put(spelling(e.op)), put(" ");
    expr(e.b, tighter);
    put(in_parentheses ? ")" : "");
}

void Printer::prefixed(std::string_view mark, const ExprRef& operand, Precedence place) {
    bool in_parentheses = place > Precedence::Unary;
    put(in_parentheses ? "(" : ""), put(mark), expr(operand, Precedence::Unary), put(in_parentheses ? ")" : "");
}

void Printer::element(const ExprRef& base, const ExprVec& indices, bool is_protected) {
    expr(base, Precedence::Primary), put(is_protected ? ".protect[" : "["), list(indices), put("]");
}

void Printer::slice(const TensorSlice& e) {
    bool has_range = std::ranges::any_of(e.indices, [](const ExprRef& index) { return !index; });
    expr(e.base, Precedence::Primary), put(has_range ? "[" : ".slice[");
    for (std::size_t i = 0; i < e.indices.size(); ++i) {
        put(i ? ", " : "");
        if (e.indices[i]) {
            expr(e.indices[i]);
            continue;
        }
        if (e.starts[i])
            expr(e.starts[i]);
        put(":");
        if (e.stops[i])
            expr(e.stops[i]);
    }
    put("]");
}

bool Printer::has_known_type(const Call& e) const {
    if (!m_module)
        return is_identifier(e.callee);
    if (!is_identifier(e.callee) || is_reserved(e.callee))
        return false;
    auto is_type = [&](const TypeRef& ret) { return ret && is_closed(ret) && same_type(ret, e.type); };
    if (const Function* f = find_function(*m_module, e.callee))
        return is_type(f->ret);
    for (const VarRef& var : m_module->externs)
        if (const auto* type = as<FuncType>(var->type); type && var->name == e.callee)
            return is_type(type->ret);
    return false;
}

void Printer::function_call(const Call& e) {
    if (has_known_type(e))
        return call(e.callee, e.args);
    put("call("), put(quote(e.callee)), put(", "), type(e.type);
    for (const ExprRef& arg : e.args)
        put(", "), expr(arg);
    put(")");
}

void Printer::intrinsic(const Intrinsic& e) {
    const IntrinsicInfo& row = info(e.id);
    put(row.name), put("("), list(e.args);
    std::string_view separator = e.args.empty() ? "" : ", ";
    if (std::string attr = to_text(e.attr); !attr.empty()) {
        put(separator), put("attr="), put(quote(attr));
        separator = ", ";
    }
    if (row.result.is_printed())
        put(separator), put("type="), type(e.type);
    put(")");
}

} // namespace hidet::ir
