// SPDX-License-Identifier: Apache-2.0
// Operators. legalise.h says what becomes of integers that wrap; narrow types are computed in int and converted back.
#include "compiler/codegen/text/emitter.h"

namespace hidet::compiler::text {

using namespace ir;

namespace {

bool is_narrow(DType dtype) {
    return is_integer(dtype) && bytes_of(dtype) < 4;
}

const char* symbol(BinOp op) {
    switch (op) {
    case BinOp::Add: return " + ";
    case BinOp::Sub: return " - ";
    case BinOp::Mul: return " * ";
    case BinOp::Div:
    case BinOp::FloorDiv: return " / ";
    case BinOp::Mod:
    case BinOp::FloorMod: return " % ";
    case BinOp::Lt: return " < ";
    case BinOp::Le: return " <= ";
    case BinOp::Eq: return " == ";
    case BinOp::Ne: return " != ";
    case BinOp::And: return " && ";
    case BinOp::Or: return " || ";
    case BinOp::BitAnd: return " & ";
    case BinOp::BitOr: return " | ";
    case BinOp::BitXor: return " ^ ";
    case BinOp::Shl: return " << ";
    case BinOp::Shr: return " >> ";
    }
    return " ";
}

} // namespace

// ---- operators ----------------------------------------------------------------------------------------------------------

void ExprEmitter::infix(const Infix& op, const ExprRef& a, const ExprRef& b, Level place) {
    open(op.own, place);
    expr(a, op.left);
    put(op.symbol);
    expr(b, op.right);
    close(op.own, place);
}

void ExprEmitter::unary(const Unary& e, Level place) {
    if (auto operand = scalar_of(e.a->type))
        m_snippets.merge(m_dialect.operators(e.op, *operand));
    if (e.op == UnOp::Not || (e.op == UnOp::BitNot && scalar_of(e.type) == DType::Bool)) {
        open(Level::Prefix, place);
        put("!");
        expr(e.a, Level::Prefix);
        return close(Level::Prefix, place);
    }
    narrowed(scalar_of(e.type).value_or(DType::I32), e, place, [&](Level inner) {
        open(Level::Prefix, inner);
        put(e.op == UnOp::Neg ? "-" : "~");
        bool starts_with_sign = e.a->kind == Kind::Constant || e.a->kind == Kind::Unary;
        expr(e.a, e.op == UnOp::Neg && starts_with_sign ? Level::Postfix : Level::Prefix);
        close(Level::Prefix, inner);
    });
}

void ExprEmitter::binary(const Binary& e, Level place) {
    if (auto operand = scalar_of(e.a->type))
        m_snippets.merge(m_dialect.operators(e.op, *operand));
    bool has_pointer = is_pointer(e.a->type) || is_pointer(e.b->type);
    if (has_pointer && !is_comparison(e.op))
        return pointer_arithmetic(e, place);
    switch (e.op) {
    case BinOp::And:
    case BinOp::Or: return logical(e, place);
    case BinOp::Lt:
    case BinOp::Le:
    case BinOp::Eq:
    case BinOp::Ne: return compare(e, place);
    case BinOp::Add:
    case BinOp::Sub:
    case BinOp::Mul: return sum_or_product(e, place);
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return divide(e, place);
    case BinOp::Shl:
    case BinOp::Shr: return shift(e, place);
    case BinOp::BitAnd:
    case BinOp::BitOr:
    case BinOp::BitXor: return bits(e, place);
    }
}

// The IR knows `<` only; `0 < x` is what became of `x > 0`.
void ExprEmitter::compare(const Binary& e, Level place) {
    bool is_order = e.op == BinOp::Lt || e.op == BinOp::Le;
    Infix op{symbol(e.op), is_order ? Level::Relation : Level::Equality, Level::Sum, Level::Sum};
    auto scalar = scalar_of(e.a->type);
    bool has_operators = scalar && (is_integer(*scalar) || *scalar == DType::F32 || *scalar == DType::F64);
    bool is_turned =
        is_order && has_operators && written(e.a)->kind == Kind::Constant && written(e.b)->kind != Kind::Constant;
    if (!is_turned)
        return infix(op, e.a, e.b, place);
    op.symbol = e.op == BinOp::Lt ? " > " : " >= ";
    infix(op, e.b, e.a, place);
}

// An operand of the same operator needs no parentheses, others get them, as compilers ask for.
void ExprEmitter::logical(const Binary& e, Level place) {
    Level own = e.op == BinOp::And ? Level::And : Level::Or;
    auto level = [&](const ExprRef& operand) {
        const auto* inner = as<Binary>(operand);
        return inner && inner->op == e.op ? own : Level::Equality;
    };
    infix({symbol(e.op), own, level(e.a), level(e.b)}, e.a, e.b, place);
}

void ExprEmitter::sum_or_product(const Binary& e, Level place) {
    auto scalar = scalar_of(e.type);
    bool is_product = e.op == BinOp::Mul;
    Level own = is_product ? Level::Product : Level::Sum;
    Infix op{symbol(e.op), own, own, is_product ? Level::Prefix : Level::Product};
    if (!scalar || !is_integer(*scalar))
        return spelled_operator(e, place) ? void() : infix(op, e.a, e.b, place);
    bool is_short_product = is_product && *scalar == DType::U16; // beyond int
    narrowed(*scalar, e, place, [&](Level level) {
        if (!is_short_product)
            return infix(op, e.a, e.b, level);
        open(own, level);
        put("unsigned("), expr(e.a), put(")");
        put(op.symbol);
        expr(e.b, op.right);
        close(own, level);
    });
}

void ExprEmitter::divide(const Binary& e, Level place) {
    bool is_div = e.op == BinOp::Div || e.op == BinOp::FloorDiv;
    bool rounds_down = e.op == BinOp::FloorDiv || e.op == BinOp::FloorMod;
    auto scalar = scalar_of(e.type);
    bool is_of_integers = scalar && is_integer(*scalar);
    if (is_unproven(e))
        return checked_division(e, place);
    if (rounds_down || !is_of_integers) {
        if (spelled_operator(e, place))
            return;
        if (e.op != BinOp::Div)
            return unsupported(e, cat("'", spelling(e.op), "' of this type"));
    }
    narrowed(is_of_integers && is_div && is_signed(*scalar) ? *scalar : DType::I32, e, place, [&](Level level) {
        infix({symbol(e.op), Level::Product, Level::Product, Level::Prefix}, e.a, e.b, level);
    });
}

// An operator that the language has no operator for.
bool ExprEmitter::spelled_operator(const Binary& e, Level place) {
    auto scalar = scalar_of(e.type);
    auto syntax = scalar ? m_dialect.binary(e.op, *scalar) : std::nullopt;
    if (!syntax)
        return false;
    need(*syntax, e);
    narrowed(is_integer(*scalar) ? *scalar : DType::I32, e, place, [&](Level) { write_syntax(*syntax, {e.a, e.b}); });
    return true;
}

// Both arguments have the type that the operation is done in.
void ExprEmitter::helper_call(const char* name, const ExprRef& a, const ExprRef& b, DType scalar, Level place) {
    m_snippets.insert(name);
    DType wide = is_narrow(scalar) ? DType::I32 : scalar;
    narrowed(scalar, *a, place, [&](Level) {
        put(cat(name, "("));
        convert(a, wide, Level::Any);
        put(", ");
        convert(b, wide, Level::Any);
        put(")");
    });
}

void ExprEmitter::bits(const Binary& e, Level place) {
    Level own = e.op == BinOp::BitAnd ? Level::BitAnd : e.op == BinOp::BitOr ? Level::BitOr : Level::BitXor;
    auto level = [&](const ExprRef& operand) {
        const auto* inner = as<Binary>(written(operand));
        return inner && inner->op == e.op ? own : Level::Prefix;
    };
    infix({symbol(e.op), own, level(e.a), level(e.b)}, e.a, e.b, place);
}

void ExprEmitter::shift(const Binary& e, Level place) {
    DType scalar = *scalar_of(e.type);
    if (is_unproven(e))
        return helper_call(e.op == BinOp::Shl ? "shift_left" : "shift_right", e.a, e.b, scalar, place);
    DType back = e.op == BinOp::Shl ? scalar : DType::I32; // a value shifted right fits its type
    narrowed(back, e, place, [&](Level level) {
        open(Level::Shift, level);
        expr(e.a, Level::Prefix);
        put(symbol(e.op));
        expr(e.b, Level::Prefix);
        close(Level::Shift, level);
    });
}

void ExprEmitter::pointer_arithmetic(const Binary& e, Level place) {
    if (is_pointer(e.a->type) && is_pointer(e.b->type)) {
        put("int(");
        infix({" - ", Level::Sum, Level::Sum, Level::Product}, e.a, e.b, Level::Any);
        return put(")");
    }
    bool swapped = is_pointer(e.b->type);
    const ExprRef& pointer = swapped ? e.b : e.a;
    const ExprRef& offset = swapped ? e.a : e.b;
    TypeRef pointee = element_of(pointer->type);
    bool is_void = !pointee || pointee->kind == Kind::VoidType;
    if (is_void)
        put(cat("static_cast<", type(pointer->type, e), ">(static_cast<char*>("));
    else
        open(Level::Sum, place);
    expr(pointer, is_void ? Level::Any : Level::Sum);
    put(is_void ? ")" : "");
    put(e.op == BinOp::Sub ? " - " : " + ");
    expr(offset, Level::Product);
    if (is_void)
        put(")");
    else
        close(Level::Sum, place);
}

} // namespace hidet::compiler::text
