// SPDX-License-Identifier: Apache-2.0
#include "compiler/simplify/expr_simplifier.h"

#include <cmath>

#include "compiler/ir/fold.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using namespace ir;

namespace {

// Rules shrink what they rewrite or move it towards a normal form; this only bounds the damage of a mistake.
constexpr int max_rule_depth = 64;

bool is_integer_type(const TypeRef& type) {
    auto dtype = scalar_of(type);
    return type->kind == Kind::DataType && dtype && is_integer(*dtype);
}

bool is_bool_constant(const ExprRef& expr, bool value) {
    return expr->kind == Kind::Constant && is_constant(expr, value ? 1 : 0);
}

// What holds for every float, NaN and both zeros included.
ExprRef better_float(const Binary& expr) {
    auto is_number = [](const ExprRef& e, double value) {
        auto number = constant_number(e);
        return number == value && !std::signbit(*number);
    };
    if (expr.op == BinOp::Mul && is_number(expr.a, 1.0))
        return expr.b;
    if ((expr.op == BinOp::Mul || expr.op == BinOp::Div) && is_number(expr.b, 1.0))
        return expr.a;
    return expr.op == BinOp::Sub && is_number(expr.b, 0.0) ? expr.a : nullptr;
}

bool has_type(const ExprRef& expr, const TypeRef& type) {
    return expr->type == type || same_type(expr->type, type);
}

} // namespace

ExprRef ExprSimplifier::binary(BinOp op, const ExprRef& a, const ExprRef& b) {
    ExprRef node = make_binary(op, a, b);
    ExprRef result = better(*as<Binary>(node));
    return result ? result : node;
}

ExprRef ExprSimplifier::better_logic(const Binary& expr) {
    bool is_and = expr.op == BinOp::And;
    // `neutral` leaves the other side, `decisive` decides.
    if (is_bool_constant(expr.a, is_and))
        return expr.b;
    if (is_bool_constant(expr.a, !is_and))
        return expr.a;
    if (is_bool_constant(expr.b, is_and))
        return expr.a;
    if (is_bool_constant(expr.b, !is_and) && can_drop(expr.a))
        return expr.b;
    return can_drop(expr.a) && same_expr(expr.a, expr.b) ? expr.a : nullptr;
}

ExprRef ExprSimplifier::by_rules(const Binary& expr) {
    ExprRef whole = self(expr);
    for (const Rule& rule : rules_of(expr.op)) {
        Match match;
        if (!rule.match(expr, match))
            continue;
        if (rule.condition && !rule.condition({match, m_ranges, whole}))
            continue;
        if (!can_drop(whole)) // a rule may lose an operand
            return nullptr;
        DType saved = dtype;
        dtype = *scalar_of(expr.a->type);
        ExprRef result = rule.replacement(match, *this);
        dtype = saved;
        return cast_to(result, expr.type); // a literal truth value
    }
    return nullptr;
}

ExprRef ExprSimplifier::by_ranges(const Binary& expr) {
    bool is_mask = expr.op == BinOp::BitAnd && expr.b->kind == Kind::Constant;
    if (!is_division(expr.op) && !is_mask)
        return nullptr;
    auto a = m_ranges.of(expr.a);
    auto b = m_ranges.of(expr.b);
    if (!a || !b)
        return nullptr;
    if (is_division(expr.op) && a->lo >= 0 && b->lo > 0) {
        bool is_quotient = expr.op == BinOp::Div || expr.op == BinOp::FloorDiv;
        if (a->hi < b->lo && can_drop(self(expr)))
            return is_quotient ? int_constant(0, *scalar_of(expr.type)) : expr.a;
        if (expr.op == BinOp::FloorDiv)
            return binary(BinOp::Div, expr.a, expr.b);
        if (expr.op == BinOp::FloorMod)
            return binary(BinOp::Mod, expr.a, expr.b);
    }
    // A mask of ones that covers the value.
    if (is_mask && b->is_single() && a->lo >= 0 && a->hi <= b->hi && (b->hi & (b->hi + 1)) == 0)
        return expr.a;
    return nullptr;
}

ExprRef ExprSimplifier::better(const Binary& expr) {
    if (expr.op == BinOp::And || expr.op == BinOp::Or)
        return better_logic(expr);
    if (!is_integer_type(expr.a->type) || !is_integer_type(expr.b->type)) {
        auto left = scalar_of(expr.a->type);
        if (left && expr.a->kind == Kind::Constant && expr.b->kind == Kind::Constant)
            return fold_binary(expr.op, *left, expr.a, expr.b);
        if (left && is_float(*left))
            return better_float(expr);
        bool is_offset = (expr.op == BinOp::Add || expr.op == BinOp::Sub) && is_pointer(expr.a->type);
        return is_offset && is_integer_type(expr.b->type) && is_constant(expr.b, 0) ? expr.a : nullptr;
    }
    if (ExprRef folded = fold_binary(expr.op, *scalar_of(expr.a->type), expr.a, expr.b))
        return folded;
    if (is_comparison(expr.op))
        if (auto truth = m_ranges.truth_of(self(expr)); truth && can_drop(self(expr)))
            return bool_constant(*truth);
    if (is_commutative(expr.op) && expr.a->kind == Kind::Constant)
        return binary(expr.op, expr.b, expr.a);
    bool is_equality = expr.op == BinOp::Eq || expr.op == BinOp::Ne;
    if (is_equality && *scalar_of(expr.a->type) == DType::Bool &&
        expr.b->kind == Kind::Constant) { // a truth value compared
        bool keeps = is_bool_constant(expr.b, expr.op == BinOp::Eq);
        return keeps ? expr.a : logical_not(expr.a);
    }
    bool is_bool_arithmetic = *scalar_of(expr.a->type) == DType::Bool && !is_comparison(expr.op);
    if (m_depth >= max_rule_depth || is_bool_arithmetic)
        return nullptr;
    ++m_depth;
    ExprRef result = by_rules(expr);
    if (!result)
        result = by_ranges(expr);
    if (!result && is_division(expr.op))
        result = divide_sum(expr, m_ranges, *this);
    --m_depth;
    return result;
}

ExprRef ExprSimplifier::better(const Unary& expr) {
    auto dtype = scalar_of(expr.a->type);
    if (dtype && expr.a->kind == Kind::Constant)
        return fold_unary(expr.op, *dtype, expr.a);
    if (const auto* inner = as<Unary>(expr.a);
        inner && inner->op == expr.op && (expr.op != UnOp::Not || dtype == DType::Bool))
        return inner->a;
    if (expr.op != UnOp::Not)
        return nullptr;
    const auto* e = as<Binary>(expr.a);
    if (!e)
        return nullptr;
    if (e->op == BinOp::Eq || e->op == BinOp::Ne)
        return binary(e->op == BinOp::Eq ? BinOp::Ne : BinOp::Eq, e->a, e->b);
    bool is_order = e->op == BinOp::Lt || e->op == BinOp::Le;
    if (!is_order || !is_integer_type(e->a->type) || !can_drop(expr.a)) // operands change places
        return nullptr;
    return binary(e->op == BinOp::Lt ? BinOp::Le : BinOp::Lt, e->b, e->a);
}

ExprRef ExprSimplifier::better(const Select& expr) {
    if (auto truth = m_ranges.truth_of(expr.condition); truth && can_drop(expr.condition))
        return *truth ? expr.a : expr.b;
    if (can_drop(expr.condition) && same_expr(expr.a, expr.b))
        return expr.a;
    if (is_integer_type(expr.type) && *scalar_of(expr.type) == DType::Bool && is_bool_constant(expr.a, true) &&
        is_bool_constant(expr.b, false))
        return expr.condition;
    return nullptr;
}

ExprRef ExprSimplifier::better(const Cast& expr) {
    if (has_type(expr.a, expr.type))
        return expr.a;
    auto dtype = scalar_of(expr.type);
    if (expr.type->kind == Kind::DataType && dtype && expr.a->kind == Kind::Constant)
        return fold_cast(expr.a, *dtype);
    const auto* inner = as<Cast>(expr.a);
    if (!inner)
        return nullptr;
    if (is_pointer(expr.type) && is_pointer(inner->type) && is_pointer(inner->a->type))
        return has_type(inner->a, expr.type) ? inner->a : make_cast(inner->a, expr.type);
    // There and back through a type that holds every value.
    if (is_integer_type(expr.type) && is_integer_type(inner->type) && has_type(inner->a, expr.type) &&
        type_range(*scalar_of(inner->type)).contains(type_range(*dtype)))
        return inner->a;
    return nullptr;
}

ExprRef ExprSimplifier::better(const Intrinsic& expr) {
    auto dtype = scalar_of(expr.type);
    bool all_constant = dtype && !expr.args.empty();
    for (const ExprRef& arg : expr.args)
        all_constant = all_constant && arg->kind == Kind::Constant;
    if (all_constant)
        if (auto operand = scalar_of(expr.args[0]->type))
            if (ExprRef folded = fold_math(expr.id, *operand, expr.args))
                return folded;
    if (expr.id != IntrinsicId::Min && expr.id != IntrinsicId::Max)
        return nullptr;
    auto a = m_ranges.of(expr.args[0]);
    auto b = m_ranges.of(expr.args[1]);
    if (!a || !b || !can_drop(self(expr)))
        return nullptr;
    bool is_min = expr.id == IntrinsicId::Min;
    if (a->hi <= b->lo)
        return expr.args[is_min ? 0 : 1];
    if (b->hi <= a->lo)
        return expr.args[is_min ? 1 : 0];
    return same_expr(expr.args[0], expr.args[1]) ? expr.args[0] : nullptr;
}

namespace {

class WholeSimplifier : public Rewriter {
public:
    explicit WholeSimplifier(const Ranges& ranges) : m_ranges(ranges), m_exprs(ranges) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const Var& var) override { return known_constant(self(var)); }
    ExprRef visit(const BuiltinVar& expr) override { return known_constant(self(expr)); }
    ExprRef visit(const Unary& expr) override { return improved(expr); }
    ExprRef visit(const Binary& expr) override { return improved(expr); }
    ExprRef visit(const Select& expr) override { return improved(expr); }
    ExprRef visit(const Cast& expr) override { return improved(expr); }
    ExprRef visit(const Intrinsic& expr) override { return improved(expr); }
    TypeRef visit(const TensorType& type) override { return self(type); }
    TypeRef visit(const TensorPointerType& type) override { return self(type); }

private:
    // Index arithmetic shares its parts many times over, so a part is simplified once.
    template <class T>
    ExprRef improved(const T& expr) {
        auto [known, is_new] = m_done.try_emplace(&expr);
        if (!is_new)
            return known->second;
        ExprRef rebuilt = rebuild(expr);
        const T* node = as<T>(rebuilt);
        ExprRef better = node ? m_exprs.better(*node) : nullptr;
        ExprRef result = better ? better : rebuilt;
        m_done[&expr] = result;
        return result;
    }
    ExprRef known_constant(const ExprRef& expr) const {
        ExprRef constant = m_ranges.constant_of(expr);
        return constant ? constant : expr;
    }
    const Ranges& m_ranges;
    ExprSimplifier m_exprs;
    std::unordered_map<const Node*, ExprRef> m_done; // of nodes of the expression that is simplified, which stay alive
};

} // namespace

ExprRef simplified(const ExprRef& expr, const Ranges& ranges) {
    return WholeSimplifier(ranges).rewrite(expr);
}

ExprRef ExprSimplifier::better(const Deref& expr) {
    const auto* address = as<Address>(expr.pointer);
    return address && has_type(address->place, expr.type) ? address->place : nullptr;
}

ExprRef ExprSimplifier::better(const Address& expr) {
    const auto* deref = as<Deref>(expr.place);
    return deref && has_type(deref->pointer, expr.type) ? deref->pointer : nullptr;
}

} // namespace hidet::compiler
