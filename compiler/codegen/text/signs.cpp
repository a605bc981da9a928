// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/signs.h"

namespace hidet::compiler::text {

using namespace ir;

bool is_plain_signed(const TypeRef& type) {
    auto scalar = scalar_of(type);
    return scalar == DType::I32 || scalar == DType::I64;
}

Signs::Signs(const Dialect& dialect, const Uses& uses, const LaunchBounds* bounds) : m_dialect(dialect), m_uses(uses) {
    m_ranges.set_uses(&uses);
    if (bounds)
        compiler::bind(m_ranges, *bounds);
}

// ---- facts --------------------------------------------------------------------------------------------------------------

void Signs::assume(const ExprRef& condition, bool truth) {
    m_ranges.assume(condition, truth);
    m_unsigned.clear();
}

void Signs::bind(const Var& var, Range range) {
    m_ranges.bind(var, range);
    m_unsigned.clear();
}

void Signs::learn(const DeclareStmt& s) {
    if (s.is_static || !m_uses.is_immutable(*s.var))
        return;
    if (auto range = m_ranges.of(s.init))
        bind(*s.var, *range);
}

void Signs::learn(const ForStmt& s) {
    auto range = m_ranges.of(s.extent);
    auto scalar = scalar_of(s.var->type);
    if (range && range->hi >= 1 && scalar && type_range(*scalar).contains(Range{0, range->hi - 1}))
        bind(*s.var, Range{0, range->hi - 1});
}

void Signs::restore(std::size_t mark) {
    m_ranges.restore(mark);
    m_unsigned.clear();
}

// ---- questions ----------------------------------------------------------------------------------------------------------

bool Signs::is_nonnegative(const ExprRef& e) const {
    auto range = m_ranges.of(e);
    return range && range->lo >= 0;
}

bool Signs::are_nonnegative(const ExprRef& a, const ExprRef& b) const {
    return m_dialect.mixes_signs() && is_nonnegative(a) && is_nonnegative(b);
}

bool Signs::has_plain_count(const Binary& shift) const {
    auto range = m_ranges.of(shift.b);
    int bits = bytes_of(scalar_of(shift.type).value_or(DType::I32)) == 8 ? 64 : 32;
    return range && range->lo >= 0 && range->hi < bits;
}

bool Signs::may_trap(const Binary& division) const {
    auto divisor = m_ranges.of(division.b);
    return !divisor || (divisor->lo <= 0 && divisor->hi >= -1);
}

bool Signs::is_unsigned(const ExprRef& e) {
    if (!is_plain_signed(e->type) || e->kind == Kind::Var || e->kind == Kind::Constant)
        return false;
    auto [found, is_new] = m_unsigned.try_emplace(e.get(), false);
    if (!is_new)
        return found->second;
    bool result = computes_unsigned(e);
    m_unsigned[e.get()] = result;
    return result;
}

bool Signs::computes_unsigned(const ExprRef& e) {
    if (const auto* var = as<BuiltinVar>(e))
        return var->which < Builtin::ClusterThreadRank;
    if (const auto* same = as<Cast>(e))
        return scalar_of(same->a->type) == scalar_of(e->type) && is_unsigned(same->a);
    if (const auto* choice = as<Select>(e))
        return is_unsigned(choice->a) || is_unsigned(choice->b);
    if (const auto* u = as<Unary>(e))
        return is_unsigned(u->a) || (u->op == UnOp::Neg && may_wrap(e));
    const auto* b = as<Binary>(e);
    return b && !is_pointer(b->a->type) && !is_pointer(b->b->type) && computes_unsigned(*b);
}

bool Signs::computes_unsigned(const Binary& e) {
    bool is_shift = e.op == BinOp::Shl || e.op == BinOp::Shr;
    bool any = is_unsigned(e.a) || (!is_shift && is_unsigned(e.b));
    switch (e.op) {
    case BinOp::Add:
    case BinOp::Sub:
    case BinOp::Mul: return any || may_wrap(self(e));
    case BinOp::BitAnd:
    case BinOp::BitOr:
    case BinOp::BitXor: return any;
    case BinOp::Shl: return any && has_plain_count(e);
    case BinOp::Shr: return any && has_plain_count(e) && is_nonnegative(e.a);
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return any && are_nonnegative(e.a, e.b);
    case BinOp::Lt:
    case BinOp::Le:
    case BinOp::Eq:
    case BinOp::Ne:
    case BinOp::And:
    case BinOp::Or: return false;
    }
    return false;
}

} // namespace hidet::compiler::text
