// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/uses.h"

#include <algorithm>

#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::compiler {

using namespace ir;

class UseCounter : public Walker {
public:
    explicit UseCounter(const Module* module) : m_module(module) {}

    Uses take() { return std::move(m_uses); }

protected:
    using Walker::visit;

    void visit(const Function& function) override {
        if (m_module) // other functions may change a global variable
            for (const VarRef& global : m_module->globals)
                facts_of(*global).addressed = true;
        for (const VarRef& param : function.params)
            facts_of(*param).addressed = param->type->kind == Kind::ReferenceType;
        walk(NodeRef(function.body)); // dimensions and types of parameters are not part of it
    }
    void visit(const Var& var) override {
        VarFacts& facts = facts_of(var);
        ++facts.reads;
        facts.deepest_read = std::max(facts.deepest_read, m_depth);
    }
    void visit(const DeclareStmt& stmt) override {
        walk(NodeRef(stmt.init));
        facts_of(*stmt.var).depth = m_depth;
    }
    void visit(const AssignStmt& stmt) override {
        walk(NodeRef(stmt.value));
        VarFacts& facts = facts_of(*stmt.var);
        ++facts.writes;
        ++facts.assignments;
    }
    void visit(const ForStmt& stmt) override {
        walk(NodeRef(stmt.extent));
        walk_body(stmt.body, {stmt.var});
    }
    void visit(const ForMappingStmt& stmt) override {
        walk(NodeRef(stmt.mapping));
        walk(NodeRef(stmt.worker));
        walk_body(stmt.body, stmt.vars);
    }
    void visit(const WhileStmt& stmt) override {
        ++m_depth;
        walk(NodeRef(stmt.condition));
        walk(NodeRef(stmt.body));
        --m_depth;
    }
    void visit(const Let& expr) override {
        walk(NodeRef(expr.value));
        facts_of(*expr.var).depth = m_depth;
        walk(NodeRef(expr.body));
    }
    void visit(const Address& expr) override {
        if (const Var* var = as<Var>(expr.place))
            facts_of(*var).addressed = true;
        walk_children(expr);
    }
    void visit(const Call& expr) override {
        for (std::size_t i = 0; i < expr.args.size(); ++i)
            if (is_reference(expr.callee, i))
                written(expr.args[i]);
        walk_children(expr);
    }
    void visit(const AsmStmt& stmt) override {
        for (const ExprRef& output : stmt.outputs)
            written(output);
        walk_children(stmt);
    }

private:
    VarFacts& facts_of(const Var& var) { return m_uses.m_facts[&var]; }

    void walk_body(const StmtRef& body, const VarVec& vars) {
        ++m_depth;
        for (const VarRef& var : vars)
            facts_of(*var).depth = m_depth;
        walk(NodeRef(body));
        --m_depth;
    }
    void written(const ExprRef& place) {
        if (const Var* var = as<Var>(place))
            ++facts_of(*var).writes;
    }
    bool is_reference(const std::string& callee, std::size_t index) const {
        if (!m_module)
            return false;
        if (const Function* function = find_function(*m_module, callee))
            return index < function->params.size() && function->params[index]->type->kind == Kind::ReferenceType;
        for (const VarRef& external : m_module->externs)
            if (external->name == callee && external->type->kind == Kind::FuncType) {
                const auto& params = static_cast<const FuncType&>(*external->type).params;
                return index < params.size() && params[index]->kind == Kind::ReferenceType;
            }
        return false;
    }

    const Module* m_module;
    Uses m_uses;
    int m_depth = 0;
};

Uses uses_in(const Function& function, const Module* module) {
    UseCounter counter(module);
    counter.walk(function);
    return counter.take();
}

static Effect worst(const ExprVec& exprs, const Uses& uses) {
    Effect effect = Effect::None;
    for (const ExprRef& expr : exprs)
        effect = std::max(effect, effect_of(expr, uses));
    return effect;
}

static Effect effect_of_place(const ExprRef& place, const Uses& uses) {
    if (const auto* element = as<TensorElement>(place))
        return std::max(effect_of(element->base, uses), worst(element->indices, uses));
    if (const auto* deref = as<Deref>(place))
        return effect_of(deref->pointer, uses);
    return Effect::None;
}

static Effect effect_of_var(const Var& var, const Uses& uses) {
    if (is_array(var.type))
        return Effect::None; // its name is an address
    if (var.type->kind == Kind::ReferenceType)
        return Effect::Reads;
    return uses.is_immutable(var) ? Effect::None : Effect::Reads;
}

Effect effect_of(const ExprRef& expr, const Uses& uses) {
    if (!expr)
        return Effect::None;
    switch (kind_of(*expr)) {
    case HIDET_LEAF_EXPRS: return Effect::None;
    case ExprKind::Var: return effect_of_var(*as<Var>(expr), uses);
    case ExprKind::Unary: return effect_of(as<Unary>(expr)->a, uses);
    case ExprKind::Binary: return std::max(effect_of(as<Binary>(expr)->a, uses), effect_of(as<Binary>(expr)->b, uses));
    case ExprKind::Cast: return effect_of(as<Cast>(expr)->a, uses);
    case ExprKind::Select: {
        const auto* e = as<Select>(expr);
        return std::max({effect_of(e->condition, uses), effect_of(e->a, uses), effect_of(e->b, uses)});
    }
    case ExprKind::Let: return std::max(effect_of(as<Let>(expr)->value, uses), effect_of(as<Let>(expr)->body, uses));
    case ExprKind::Address: return effect_of_place(as<Address>(expr)->place, uses);
    case HIDET_MEMORY_EXPRS: return std::max(Effect::Reads, effect_of_place(expr, uses));
    case ExprKind::TensorSlice: {
        const auto* e = as<TensorSlice>(expr);
        return std::max({effect_of(e->base, uses), worst(e->indices, uses), worst(e->starts, uses)});
    }
    case ExprKind::Intrinsic: {
        const auto* e = as<Intrinsic>(expr);
        const IntrinsicInfo& row = info(e->id);
        if (row.effect == IntrinsicEffect::Acts || row.does == Does::Assumes)
            return Effect::Acts;
        return std::max(row.effect == IntrinsicEffect::Reads ? Effect::Reads : Effect::None, worst(e->args, uses));
    }
    case ExprKind::Call: return Effect::Acts;
    }
    no_such_kind(*expr);
}

bool mentions(const NodeRef& node, const Var& var) {
    return any_of_nodes(node, [&](const Var& use) { return &use == &var; });
}

} // namespace hidet::compiler
