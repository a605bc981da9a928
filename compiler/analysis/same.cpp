// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/same.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::compiler {

using namespace ir;

static bool same_all(const ExprVec& a, const ExprVec& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_expr);
}

static bool same_constant(const Constant& a, const Constant& b) {
    const double* x = std::get_if<double>(&a.value);
    const double* y = std::get_if<double>(&b.value);
    if (x && y) // zeros of both signs differ; no NaN is the same as anything
        return *x == *y && std::signbit(*x) == std::signbit(*y) && same_type(a.type, b.type);
    return a.value == b.value && same_type(a.type, b.type);
}

bool same_expr(const ExprRef& a, const ExprRef& b) {
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->size != b->size)
        return false;
    switch (kind_of(*a)) {
    case ExprKind::SymbolVar: return as<SymbolVar>(a)->name == as<SymbolVar>(b)->name;
    case ExprKind::BuiltinVar: return as<BuiltinVar>(a)->which == as<BuiltinVar>(b)->which;
    case ExprKind::Constant: return same_constant(*as<Constant>(a), *as<Constant>(b));
    case ExprKind::Unary: {
        const auto *x = as<Unary>(a), *y = as<Unary>(b);
        return x->op == y->op && same_expr(x->a, y->a);
    }
    case ExprKind::Binary: {
        const auto *x = as<Binary>(a), *y = as<Binary>(b);
        return x->op == y->op && same_expr(x->a, y->a) && same_expr(x->b, y->b);
    }
    case ExprKind::TensorElement: {
        const auto *x = as<TensorElement>(a), *y = as<TensorElement>(b);
        return x->is_protected == y->is_protected && same_expr(x->base, y->base) && same_all(x->indices, y->indices);
    }
    case ExprKind::Cast: {
        const auto *x = as<Cast>(a), *y = as<Cast>(b);
        return same_type(x->type, y->type) && same_expr(x->a, y->a);
    }
    case ExprKind::Select: {
        const auto *x = as<Select>(a), *y = as<Select>(b);
        return same_expr(x->condition, y->condition) && same_expr(x->a, y->a) && same_expr(x->b, y->b);
    }
    case ExprKind::Intrinsic: {
        const auto *x = as<Intrinsic>(a), *y = as<Intrinsic>(b);
        return x->id == y->id && x->attr == y->attr && info(x->id).effect == IntrinsicEffect::Pure &&
               same_type(x->type, y->type) && same_all(x->args, y->args);
    }
    case ExprKind::Deref: return same_expr(as<Deref>(a)->pointer, as<Deref>(b)->pointer);
    case ExprKind::Address: return same_expr(as<Address>(a)->place, as<Address>(b)->place);
    case ExprKind::Var:
    case ExprKind::TensorSlice:
    case ExprKind::Call:
    case ExprKind::Let: return false; // a Var is its object; the others are never the same
    }
    no_such_kind(*a);
}

std::size_t hash_expr(const ExprRef& expr) {
    std::size_t hash = static_cast<std::size_t>(expr->kind) * 31 + expr->size;
    auto mix = [&](std::size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
    if (expr->kind == Kind::Var)
        mix(std::hash<const void*>{}(expr.get()));
    if (const auto* e = as<BuiltinVar>(expr))
        mix(static_cast<std::size_t>(e->which));
    if (const auto* e = as<Binary>(expr)) {
        mix(static_cast<std::size_t>(e->op));
        mix(hash_expr(e->a));
        mix(hash_expr(e->b));
    }
    if (auto value = constant_int(expr))
        mix(static_cast<std::size_t>(*value));
    return hash;
}

} // namespace hidet::compiler
