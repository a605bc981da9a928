// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/slots.h"

#include <algorithm>

#include "compiler/analysis/same.h"
#include "compiler/ir/ops.h"
#include "compiler/simplify/expr_simplifier.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::uint32_t max_expanded_size = 400;

bool is_integer_type(const TypeRef& type) {
    auto dtype = scalar_of(type);
    return type->kind == Kind::DataType && dtype && is_integer(*dtype);
}

class LetExpander : public Rewriter {
public:
    explicit LetExpander(const std::unordered_map<const Var*, ExprRef>& lets) : m_lets(lets) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const Var& var) override {
        auto let = m_lets.find(&var);
        return let == m_lets.end() ? self(var) : let->second;
    }

private:
    const std::unordered_map<const Var*, ExprRef>& m_lets;
};

} // namespace

StmtRef SlotRewriter::visit(const DeclareStmt& stmt) {
    // What is kept is expanded already, so one step leads to the leaves.
    if (stmt.is_let && is_integer_type(stmt.var->type) && effect_of(stmt.init, uses) == Effect::None)
        if (ExprRef value = through_lets(stmt.init); value->size <= max_expanded_size)
            m_lets[stmt.var.get()] = value;
    return RangeRewriter::visit(stmt);
}

ExprRef SlotRewriter::through_lets(const ExprRef& expr) {
    return LetExpander(m_lets).rewrite(expr);
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
    if (layout->kind == Kind::StridesLayout || layout->kind == Kind::LocalLayout)
        return simplified(slot_of(layout, indices), ranges);
    ExprVec expanded;
    for (const ExprRef& index : indices)
        expanded.push_back(through_lets(index));
    ExprRef deep = deep_slot(layout, expanded);
    if (deep->kind == Kind::Constant)
        return deep;
    ExprRef plain = simplified(slot_of(layout, indices), ranges);
    return deep->size < plain->size ? deep : plain;
}

} // namespace hidet::compiler
