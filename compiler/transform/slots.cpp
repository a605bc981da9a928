// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/slots.h"

#include <algorithm>

#include "compiler/analysis/same.h"
#include "compiler/ir/ops.h"
#include "compiler/simplify/expr_simplifier.h"
#include "lang/base/transformed.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::uint32_t max_expanded_size = 400;

bool is_integer_type(const TypeRef& type) {
    auto dtype = scalar_of(type);
    return type->kind == Kind::DataType && dtype && is_integer(*dtype);
}

// The same number: casts to types that hold all numbers of the one before are taken off.
ExprRef without_casts(const ExprRef& expr) {
    const auto* cast = as<Cast>(expr);
    const bool is_wider = cast && is_integer_type(expr->type) && is_integer_type(cast->a->type) &&
                          type_range(*scalar_of(expr->type)).contains(type_range(*scalar_of(cast->a->type)));
    return is_wider ? without_casts(cast->a) : expr;
}

bool is_same_number(const ExprRef& a, const ExprRef& b) {
    const auto x = constant_int(a), y = constant_int(b);
    return x && y ? *x == *y : same_expr(without_casts(a), without_casts(b));
}

const Binary* division_in(const ExprRef& expr, BinOp floored, BinOp truncated) { // null: it is none
    const auto* binary = as<Binary>(without_casts(expr));
    return binary && (binary->op == floored || binary->op == truncated) ? binary : nullptr;
}

bool is_product(const ExprRef& expr, const ExprRef& a, const ExprRef& b) {
    const auto x = constant_int(expr), y = constant_int(a), z = constant_int(b);
    if (x && y && z)
        return *y != 0 && *x % *y == 0 && *x / *y == *z;
    const auto* product = as<Binary>(without_casts(expr));
    return product && product->op == BinOp::Mul &&
           ((is_same_number(product->a, a) && is_same_number(product->b, b)) ||
            (is_same_number(product->a, b) && is_same_number(product->b, a)));
}

// The index along two dimensions whose indices are x // e and x % e, where the second has e elements: x. Also of x // (k * e)
// and x // k % e: x // k. Null: they are something else.
ExprRef joined(const ExprRef& outer, const ExprRef& inner, const ExprRef& extent) {
    const Binary* quotient = division_in(outer, BinOp::FloorDiv, BinOp::Div);
    const Binary* rest = division_in(inner, BinOp::FloorMod, BinOp::Mod);
    if (!quotient || !rest || !is_same_number(rest->b, extent))
        return nullptr;
    const Binary* shared = division_in(rest->a, BinOp::FloorDiv, BinOp::Div);
    const bool is_plain = is_same_number(quotient->a, rest->a) && is_same_number(quotient->b, extent);
    const bool is_deep = shared && is_same_number(quotient->a, shared->a) && is_product(quotient->b, shared->b, extent);
    return is_plain || is_deep ? cast_to(rest->a, *scalar_of(inner->type)) : nullptr;
}

// In row-major order, with fewer dimensions where neighbours can be joined: what is left of an index that was taken apart.
ExprRef slot_in_rows(const ExprVec& indices, const ExprVec& shape) {
    ExprVec fewer, extents;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        ExprRef both = fewer.empty() ? nullptr : joined(fewer.back(), indices[d], shape[d]);
        if (!both) {
            fewer.push_back(indices[d]);
            extents.push_back(shape[d]);
            continue;
        }
        fewer.back() = std::move(both);
        extents.back() = mul(extents.back(), shape[d]);
    }
    return slot_of(row_major(std::move(extents)), fewer);
}

} // namespace

StmtRef SlotRewriter::visit(const DeclareStmt& stmt) {
    // What is kept is expanded already, so one step leads to the leaves.
    if (stmt.is_let && is_integer_type(stmt.var->type) && effect_of(stmt.init, uses) == Effect::None)
        if (ExprRef value = through_lets(stmt.init); value->size <= max_expanded_size)
            m_lets.replace(stmt.var, value);
    return RangeRewriter::visit(stmt);
}

ExprRef SlotRewriter::through_lets(const ExprRef& expr) {
    return m_lets.rewrite(expr);
}

// The same index of the same layout is met once per access and per copy of an unrolled body. What a branch helped to find
// would not hold elsewhere, so it is not remembered.
ExprRef SlotRewriter::deep_slot(const LayoutRef& layout, const ExprVec& indices) {
    std::size_t hash = std::hash<const void*>{}(layout.get());
    for (const ExprRef& index : indices)
        hash = hash * 31 + hash_expr(index);
    auto [begin, end] = m_slots.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
        const Known& slot = known->second;
        if (slot.layout == layout && std::equal(slot.indices.begin(), slot.indices.end(), indices.begin(), same_expr))
            return slot.slot;
    }
    ExprRef slot = simplified(slot_of(layout, indices), ranges);
    if (ranges.is_unconditional())
        m_slots.emplace(hash, Known{layout, indices, slot});
    return slot;
}

ExprRef SlotRewriter::slot_in(const TensorType& tensor, const ExprVec& indices) {
    LayoutRef layout = layout_of(tensor);
    if (!tensor.layout)
        return simplified(slot_in_rows(indices, tensor.shape), ranges);
    if (layout->kind == Kind::StridesLayout || layout->kind == Kind::LocalLayout)
        return simplified(slot_of(layout, indices), ranges);
    ExprVec expanded = transformed(indices, [&](const ExprRef& index) { return through_lets(index); });
    ExprRef deep = deep_slot(layout, expanded);
    if (deep->kind == Kind::Constant)
        return deep;
    ExprRef plain = simplified(slot_of(layout, indices), ranges);
    return deep->size < plain->size ? deep : plain;
}

} // namespace hidet::compiler
