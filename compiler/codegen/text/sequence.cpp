// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/sequence.h"

#include <map>
#include <unordered_map>

#include "compiler/ir/each_node.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/lifter.h"

namespace hidet::compiler::text {

using namespace ir;

namespace {

// What the order of evaluation of an expression has to do with that of another.
struct Effects {
    bool acts = false;             // an act: two of them keep their order
    bool writes = false;           // an act that may change memory
    bool reads = false;            // depends on memory
    bool writes_variables = false; // passes a variable by reference
    bool reads_variables = false;

    void add(const Effects& other) {
        acts = acts || other.acts;
        writes = writes || other.writes;
        reads = reads || other.reads;
        writes_variables = writes_variables || other.writes_variables;
        reads_variables = reads_variables || other.reads_variables;
    }
};

bool conflict(const Effects& a, const Effects& b) {
    return (a.acts && b.acts) || (a.writes && b.reads) || (b.writes && a.reads) ||
           (a.writes_variables && b.reads_variables) || (b.writes_variables && a.reads_variables);
}

// Exchanges between the threads of a warp change nothing that this thread could read, unless they write behind an operand.
bool is_exchange(const IntrinsicInfo& row) {
    return row.does == Does::Exchanges && !row.writes;
}

class EffectTable {
public:
    EffectTable(const Module& module, const Uses& uses) : m_module(module), m_uses(uses) {}

    const Effects& of(const ExprRef& e) {
        auto [found, is_new] = m_effects.try_emplace(e.get());
        if (!is_new)
            return found->second;
        Effects effects = computed(e);
        return m_effects[e.get()] = effects;
    }
    bool is_conflicting(const ExprVec& operands) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (conflict(of(operands[i]), of(operands[j])))
                    return true;
        return false;
    }
    const Module& module() const { return m_module; }

private:
    Effects computed(const ExprRef& e) {
        Effects effects;
        for_each_child(*e, [&](const Node* child) {
            if (child && is_expr(*child))
                effects.add(of(ExprRef(static_cast<const Expr*>(child))));
        });
        switch (kind_of(*e)) {
        case ExprKind::Var: {
            const auto& var = static_cast<const Var&>(*e);
            effects.reads = m_uses.of(var).addressed;
            effects.reads_variables = !m_uses.is_immutable(var);
            break;
        }
        case HIDET_MEMORY_EXPRS: effects.reads = true; break;
        case ExprKind::Intrinsic: {
            const IntrinsicInfo& row = info(static_cast<const Intrinsic&>(*e).id);
            bool acts = row.effect == IntrinsicEffect::Acts;
            effects.reads = effects.reads || row.effect == IntrinsicEffect::Reads;
            effects.acts = effects.acts || acts;
            effects.writes = effects.writes || (acts && !is_exchange(row));
            break;
        }
        case ExprKind::Call: call(static_cast<const Call&>(*e), effects); break;
        case HIDET_LEAF_EXPRS:
        case HIDET_OPERATOR_EXPRS:
        case HIDET_SHORTHAND_EXPRS:
        case ExprKind::Address: break; // what its operands do
        }
        return effects;
    }
    void call(const Call& e, Effects& effects) {
        const Function* callee = find_function(m_module, e.callee);
        effects.reads = true;
        effects.acts = effects.writes = effects.acts || !callee || !is_quiet(*callee);
        for (std::size_t i = 0; callee && i < callee->params.size(); ++i)
            effects.writes_variables = effects.writes_variables || callee->params[i]->type->kind == Kind::ReferenceType;
    }
    // A function that changes nothing but its own variables.
    bool is_quiet(const Function& function) {
        auto [found, is_new] = m_quiet.try_emplace(function.name, false); // one that calls itself is not
        if (is_new)
            found->second = is_quiet(*function.body);
        return found->second;
    }
    // But for what is in it.
    static bool is_quiet_stmt(const Stmt& stmt) {
        switch (kind_of(stmt)) {
        case StmtKind::StoreStmt:
        case StmtKind::AssertStmt:
        case StmtKind::AsmStmt:
        case StmtKind::LaunchStmt: return false;
        case StmtKind::EvaluateStmt:
        case StmtKind::DeclareStmt:
        case StmtKind::AssignStmt:
        case StmtKind::CommentStmt:
        case HIDET_EXIT_STMTS:
        case HIDET_LOOP_STMTS:
        case StmtKind::IfStmt:
        case StmtKind::SeqStmt: return true;
        }
        no_such_kind(stmt);
    }
    bool is_quiet(const Stmt& body) {
        return !any_node(body, [&](const Node& node) {
            if (is_stmt(node))
                return !is_quiet_stmt(static_cast<const Stmt&>(node));
            if (node.kind == Kind::Intrinsic)
                return acts(static_cast<const Intrinsic&>(node).id);
            if (node.kind != Kind::Call)
                return false;
            const Function* callee = find_function(m_module, static_cast<const Call&>(node).callee);
            return !callee || !is_quiet(*callee);
        });
    }

    const Module& m_module;
    const Uses& m_uses;
    std::unordered_map<const Expr*, Effects> m_effects; // only asked
    std::map<std::string, bool> m_quiet;
};

ExprVec with_base(const ExprRef& base, const ExprVec& indices) {
    ExprVec operands = {base};
    operands.insert(operands.end(), indices.begin(), indices.end());
    return operands;
}

class Sequencer : public Lifter {
public:
    Sequencer(const Module& module, const Uses& uses, EffectTable& effects)
        : Lifter(0, module, uses), m_effects(effects) {}

protected:
    using Lifter::visit;
    ExprRef visit(const Let& e) override { return lifted(e); }
    ExprRef visit(const Binary& e) override {
        if (e.op == BinOp::And || e.op == BinOp::Or)
            return Lifter::visit(e);
        ExprVec operands = ordered({e.a, e.b});
        return operands[0] == e.a && operands[1] == e.b ? self(e) : make_binary(e.op, operands[0], operands[1]);
    }
    ExprRef visit(const TensorElement& e) override {
        ExprVec before = with_base(e.base, e.indices);
        ExprVec operands = ordered(before);
        if (operands == before)
            return self(e);
        return make_element(operands[0], ExprVec(operands.begin() + 1, operands.end()), e.is_protected);
    }
    ExprRef visit(const Intrinsic& e) override {
        ExprVec args = ordered(e.args);
        return args == e.args ? self(e) : make_intrinsic(e.attr, std::move(args), e.type);
    }
    ExprRef visit(const Call& e) override {
        ExprVec args = ordered(e.args, find_function(m_effects.module(), e.callee));
        return args == e.args ? self(e) : make_call(e.callee, std::move(args), e.type);
    }
    // The value first, in C++ as in the IR.
    StmtRef visit(const StoreStmt& s) override { return Lifter::visit(s); }

private:
    ExprVec ordered(const ExprVec& operands, const Function* callee = nullptr) {
        bool is_conflicting = m_effects.is_conflicting(operands);
        ExprVec result;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Effects& effects = m_effects.of(operands[i]);
            bool is_place = callee && i < callee->params.size() && callee->params[i]->type->kind == Kind::ReferenceType;
            bool matters = effects.acts || effects.reads || effects.reads_variables;
            ExprRef value = rewrite(operands[i]);
            bool is_kept =
                !is_conflicting || is_place || !matters || value->type->kind == Kind::VoidType || is_array(value->type);
            if (!is_kept) {
                VarRef var = make_var("value", value_type(value->type));
                StmtRef let = make_let_stmt(var, value);
                set_origin(NodeRef(let), operands[i]->origin);
                lift(std::move(let));
                value = var;
            }
            result.push_back(std::move(value));
        }
        return result;
    }
    EffectTable& m_effects;
};

} // namespace

FunctionRef in_sequence(const FunctionRef& function, const ModuleRef& module) {
    Uses uses = uses_in(*function, module.get());
    EffectTable effects(*module, uses);
    const bool has_conflicts = any_of_nodes(
        function->body,
        [&](const Binary& e) {
            return e.op != BinOp::And && e.op != BinOp::Or && effects.is_conflicting({e.a, e.b});
        },
        [&](const TensorElement& e) { return effects.is_conflicting(with_base(e.base, e.indices)); },
        [&](const Intrinsic& e) { return effects.is_conflicting(e.args); },
        [&](const Call& e) { return effects.is_conflicting(e.args); });
    if (!has_conflicts)
        return function;
    Sequencer sequencer(*module, uses, effects);
    return with_body(function, sequencer.rewrite(function->body));
}

} // namespace hidet::compiler::text
