// SPDX-License-Identifier: Apache-2.0
// Operators. emitter.h says what becomes of integers that wrap.
#include <bit>

#include "compiler/codegen/text/emitter.h"
#include "lang/base/check.h"

namespace hidet::compiler::text {

using namespace ir;

namespace {

bool is_plain_signed(const TypeRef& type) {
    auto scalar = scalar_of(type);
    return scalar == DType::I32 || scalar == DType::I64;
}

bool is_sum_or_product(BinOp op) {
    return op == BinOp::Add || op == BinOp::Sub || op == BinOp::Mul;
}

bool is_narrow(DType dtype) {
    return is_integer(dtype) && bytes_of(dtype) < 4;
}

int computed_bits(DType dtype) {
    return bytes_of(dtype) == 8 ? 64 : 32;
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

// ---- signs --------------------------------------------------------------------------------------------------------------

bool Emitter::is_nonnegative(const ExprRef& e) const {
    auto range = m_ranges.of(e);
    return range && range->lo >= 0;
}

bool Emitter::may_wrap(const ExprRef& e) const {
    return !m_ranges.never_wraps(e);
}

// Whether the text of an i32 or i64 expression has the unsigned type of that width.
bool Emitter::is_unsigned(const ExprRef& e) {
    if (!is_plain_signed(e->type))
        return false;
    if (e->kind == Kind::Var || e->kind == Kind::Constant)
        return false;
    auto [found, is_new] = m_unsigned.try_emplace(e.get(), false);
    if (!is_new)
        return found->second;
    bool result = computes_unsigned(e);
    m_unsigned[e.get()] = result;
    return result;
}

bool Emitter::computes_unsigned(const ExprRef& e) {
    if (const auto* var = as<BuiltinVar>(e))
        return var->which < Builtin::ClusterThreadRank;
    if (const auto* same = as<Cast>(e))
        return scalar_of(same->a->type) == scalar_of(e->type) && is_unsigned(same->a);
    if (const auto* choice = as<Select>(e))
        return is_unsigned(choice->a) || is_unsigned(choice->b);
    if (const auto* u = as<Unary>(e))
        return is_unsigned(u->a) || (u->op == UnOp::Neg && may_wrap(e));
    const auto* b = as<Binary>(e);
    if (!b || is_pointer(b->a->type) || is_pointer(b->b->type))
        return false;
    bool any = is_unsigned(b->a) || (b->op != BinOp::Shl && b->op != BinOp::Shr && is_unsigned(b->b));
    switch (b->op) {
    case BinOp::Add:
    case BinOp::Sub:
    case BinOp::Mul: return any || may_wrap(e);
    case BinOp::BitAnd:
    case BinOp::BitOr:
    case BinOp::BitXor: return any;
    case BinOp::Shl: return any && has_plain_shift(*b);
    case BinOp::Shr: return any && has_plain_shift(*b) && is_nonnegative(b->a);
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return any && may_mix_signs() && is_nonnegative(b->a) && is_nonnegative(b->b);
    default: return false;
    }
}

void Emitter::as_unsigned(const ExprRef& e, Level place) {
    bool is_long = scalar_of(e->type) == DType::I64;
    if (auto value = constant_int(e); value && *value >= 0)
        return integer(*value, is_long ? DType::U64 : DType::U32, place);
    put(is_long ? cat(dtype(DType::U64, *e), "(") : "unsigned(");
    expr(e, Level::Any, Use::Bits);
    put(")");
}

// ---- operators ----------------------------------------------------------------------------------------------------------

void Emitter::infix(const Infix& op, const ExprRef& a, const ExprRef& b, Level place, Use use) {
    open(op.own, place);
    expr(a, op.left, use);
    put(op.symbol);
    expr(b, op.right, use);
    close(op.own, place);
}

// Operands whose signs matter: both unsigned where both are known not to be negative, else both signed.
void Emitter::pair(const Infix& op, const ExprRef& a, const ExprRef& b, Level place) {
    bool is_mixed = is_unsigned(a) || is_unsigned(b);
    bool is_known = is_mixed && may_mix_signs() && is_nonnegative(a) && is_nonnegative(b);
    infix(op, a, b, place, is_known ? Use::Mixed : is_mixed ? Use::Exact : Use::Bits);
}

void Emitter::unary(const Unary& e, Level place, Use use) {
    if (auto operand = scalar_of(e.a->type))
        m_pieces.merge(m_dialect.operators(e.op, *operand));
    if (e.op == UnOp::Not || (e.op == UnOp::BitNot && scalar_of(e.type) == DType::Bool)) {
        open(Level::Prefix, place);
        put("!");
        expr(e.a, Level::Prefix);
        return close(Level::Prefix, place);
    }
    auto scalar = scalar_of(e.type);
    narrowed(scalar.value_or(DType::I32), e, place, [&](Level inner) {
        open(Level::Prefix, inner);
        put(e.op == UnOp::Neg ? "-" : "~");
        bool must_wrap = e.op == UnOp::Neg && use != Use::Address && is_plain_signed(e.type) && !is_unsigned(e.a) &&
                         may_wrap(ExprRef(&e));
        bool starts_with_sign = e.a->kind == Kind::Constant || e.a->kind == Kind::Unary;
        Level operand = e.op == UnOp::Neg && starts_with_sign ? Level::Postfix : Level::Prefix;
        if (must_wrap)
            as_unsigned(e.a, Level::Postfix);
        else
            expr(e.a, operand, use == Use::Address ? Use::Address : Use::Bits);
        close(Level::Prefix, inner);
    });
}

void Emitter::binary(const Binary& e, Level place, Use use) {
    if (auto operand = scalar_of(e.a->type))
        m_pieces.merge(m_dialect.operators(e.op, *operand));
    if (e.op == BinOp::And || e.op == BinOp::Or)
        return logical(e, place);
    bool has_pointer = is_pointer(e.a->type) || is_pointer(e.b->type);
    if (is_comparison(e.op))
        return compare(e, place);
    if (has_pointer)
        return pointer_arithmetic(e, place);
    auto scalar = scalar_of(e.type);
    bool is_division = e.op == BinOp::Div || e.op == BinOp::Mod || e.op == BinOp::FloorDiv || e.op == BinOp::FloorMod;
    if (is_sum_or_product(e.op))
        return sum_or_product(e, place, use);
    if (is_division && scalar && is_integer(*scalar))
        return divide(e, place);
    if (is_division && spelled_operator(e, place))
        return;
    if (e.op == BinOp::Div)
        return infix({" / ", Level::Product, Level::Product, Level::Prefix}, e.a, e.b, place, Use::Exact);
    if (is_division)
        return unsupported(e, cat("'", spelling(e.op), "' of this type"));
    if (e.op == BinOp::Shl || e.op == BinOp::Shr)
        return shift(e, place);
    bits(e, place);
}

// The IR knows `<` only; `0 < x` is what became of `x > 0`.
void Emitter::compare(const Binary& e, Level place) {
    bool is_order = e.op == BinOp::Lt || e.op == BinOp::Le;
    Infix op{symbol(e.op), is_order ? Level::Relation : Level::Equality, Level::Sum, Level::Sum};
    auto scalar = scalar_of(e.a->type);
    bool has_operators = scalar && (is_integer(*scalar) || *scalar == DType::F32 || *scalar == DType::F64);
    if (!is_order || !has_operators || e.a->kind != Kind::Constant || e.b->kind == Kind::Constant)
        return pair(op, e.a, e.b, place);
    op.symbol = e.op == BinOp::Lt ? " > " : " >= ";
    pair(op, e.b, e.a, place);
}

// An operand of the same operator needs no parentheses, others get them, as compilers ask for.
void Emitter::logical(const Binary& e, Level place) {
    Level own = e.op == BinOp::And ? Level::And : Level::Or;
    auto level = [&](const ExprRef& operand) {
        const auto* inner = as<Binary>(operand);
        return inner && inner->op == e.op ? own : Level::Equality;
    };
    infix({symbol(e.op), own, level(e.a), level(e.b)}, e.a, e.b, place, Use::Exact);
}

// `x + -5` is `x - 5`.
std::optional<std::int64_t> Emitter::negated_constant(const Binary& e) {
    auto scalar = scalar_of(e.type);
    auto value = constant_int(e.b);
    bool is_sum = e.op == BinOp::Add || e.op == BinOp::Sub;
    if (!is_sum || !value || *value >= 0 || !scalar || !is_integer(*scalar) || *value == integer_range(*scalar).lowest)
        return std::nullopt;
    return -*value;
}

void Emitter::sum_or_product(const Binary& e, Level place, Use use) {
    auto scalar = scalar_of(e.type);
    bool is_product = e.op == BinOp::Mul;
    Level own = is_product ? Level::Product : Level::Sum;
    Infix op{symbol(e.op), own, own, is_product ? Level::Prefix : Level::Product};
    if (!scalar || !is_integer(*scalar))
        return spelled_operator(e, place) ? void() : infix(op, e.a, e.b, place, Use::Exact);
    ExprRef b = e.b;
    if (auto value = negated_constant(e)) {
        op.symbol = symbol(e.op == BinOp::Add ? BinOp::Sub : BinOp::Add);
        b = keep(int_constant(*value, *scalar));
    }
    bool is_short_product = is_product && *scalar == DType::U16; // beyond int
    bool is_chain = use == Use::Address && is_plain_signed(e.type);
    bool any = is_unsigned(e.a) || is_unsigned(b);
    bool must_wrap = is_plain_signed(e.type) && !is_chain && !any && may_wrap(ExprRef(&e));
    Use inner = is_chain ? Use::Address : any || must_wrap ? Use::Mixed : Use::Bits;
    auto count = constant_int(b);
    bool right = count && *count >= 0;
    narrowed(*scalar, e, place, [&](Level level) {
        open(own, level);
        if (is_short_product)
            put("unsigned("), expr(e.a), put(")");
        else if (must_wrap && !right)
            as_unsigned(e.a, op.left);
        else
            expr(e.a, op.left, inner);
        put(op.symbol);
        if (must_wrap && right)
            as_unsigned(b, op.right);
        else
            expr(b, op.right, inner);
        close(own, level);
    });
}

// The right side of `a += b`. When it is unsigned, so is the sum, until it is stored.
void Emitter::compound_operand(const Binary& e, bool is_negated) {
    ExprRef b = is_negated ? keep(int_constant(*negated_constant(e), *scalar_of(e.type))) : e.b;
    bool must_wrap = is_plain_signed(e.type) && !is_unsigned(b) && may_wrap(ExprRef(&e));
    if (must_wrap)
        as_unsigned(b, Level::Any);
    else
        expr(b, Level::Any, Use::Bits);
}

void Emitter::divide(const Binary& e, Level place) {
    DType scalar = *scalar_of(e.type);
    bool is_div = e.op == BinOp::Div || e.op == BinOp::FloorDiv;
    bool rounds_down = (e.op == BinOp::FloorDiv || e.op == BinOp::FloorMod) && is_signed(scalar) &&
                       !(is_nonnegative(e.a) && is_nonnegative(e.b));
    auto divisor = constant_int(e.b);
    if (checked_division(e, rounds_down, place))
        return;
    if (!rounds_down)
        return narrowed(is_div && is_signed(scalar) ? scalar : DType::I32, e, place, [&](Level level) {
            pair({symbol(e.op), Level::Product, Level::Product, Level::Prefix}, e.a, e.b, level);
        });
    if (divisor && *divisor > 1 && std::has_single_bit(static_cast<std::uint64_t>(*divisor))) {
        Level own = is_div ? Level::Shift : Level::BitAnd;
        std::int64_t count = is_div ? std::countr_zero(static_cast<std::uint64_t>(*divisor)) : *divisor - 1;
        open(own, place);
        expr(e.a, Level::Prefix);
        put(is_div ? " >> " : " & ");
        integer(count, is_div ? DType::I32 : scalar, Level::Prefix);
        return close(own, place);
    }
    if (!spelled_operator(e, place))
        unsupported(e, cat("'", spelling(e.op), "' of this type"));
}

// An operator that the language has no operator for.
bool Emitter::spelled_operator(const Binary& e, Level place) {
    auto scalar = scalar_of(e.type);
    auto spelling = scalar ? m_dialect.binary(e.op, *scalar) : std::nullopt;
    if (!spelling)
        return false;
    need(*spelling, e);
    narrowed(is_integer(*scalar) ? *scalar : DType::I32, e, place, [&](Level) { spelled(*spelling, {e.a, e.b}); });
    return true;
}

// Both arguments have the type that the operation is done in.
void Emitter::helper_call(const char* name, const ExprRef& a, const ExprRef& b, DType scalar, Level place) {
    m_pieces.insert(name);
    DType wide = is_narrow(scalar) ? DType::I32 : scalar;
    narrowed(scalar, *a, place, [&](Level) {
        put(cat(name, "("));
        convert(a, wide, Level::Any, Use::Exact);
        put(", ");
        convert(b, wide, Level::Any, Use::Exact);
        put(")");
    });
}

void Emitter::bits(const Binary& e, Level place) {
    Level own = e.op == BinOp::BitAnd ? Level::BitAnd : e.op == BinOp::BitOr ? Level::BitOr : Level::BitXor;
    auto level = [&](const ExprRef& operand) {
        const auto* inner = as<Binary>(operand);
        return inner && inner->op == e.op ? own : Level::Prefix;
    };
    Infix op{symbol(e.op), own, level(e.a), level(e.b)};
    bool any = is_unsigned(e.a) || is_unsigned(e.b);
    infix(op, e.a, e.b, place, any ? Use::Mixed : Use::Exact);
}

bool Emitter::has_plain_shift(const Binary& e) const {
    auto range = m_ranges.of(e.b);
    return range && range->lo >= 0 && range->hi < computed_bits(scalar_of(e.type).value_or(DType::I32));
}

void Emitter::shift(const Binary& e, Level place) {
    DType scalar = *scalar_of(e.type);
    if (!has_plain_shift(e))
        return helper_call(e.op == BinOp::Shl ? "shift_left" : "shift_right", e.a, e.b, scalar, place);
    DType back = e.op == BinOp::Shl ? scalar : DType::I32; // a value shifted right fits its type
    narrowed(back, e, place, [&](Level level) {
        open(Level::Shift, level);
        expr(e.a, Level::Prefix, e.op == BinOp::Shl ? Use::Bits : Use::Value);
        put(symbol(e.op));
        expr(e.b, Level::Prefix, Use::Value);
        close(Level::Shift, level);
    });
}

void Emitter::pointer_arithmetic(const Binary& e, Level place) {
    if (is_pointer(e.a->type) && is_pointer(e.b->type)) {
        put("int(");
        infix({" - ", Level::Sum, Level::Sum, Level::Product}, e.a, e.b, Level::Any, Use::Exact);
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
    expr(offset, Level::Product, is_nonnegative(offset) ? Use::Value : Use::Address);
    if (is_void)
        put(")");
    else
        close(Level::Sum, place);
}

} // namespace hidet::compiler::text
