// SPDX-License-Identifier: Apache-2.0
// A rewriter that moves parts of expressions into statements before the statement that has them, and keeps the order of
// evaluation: what is evaluated before a part that acts, and could see the difference, is stored away first; an operand that is
// evaluated only on a condition (`and`, `or`, if-else, the condition of `while`) becomes a branch when something was lifted
// out of it.
#pragma once

#include <set>

#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"

namespace hidet::compiler {

class Lifter : public ir::Rewriter {
public:
    Lifter(PassId pass, const ir::Module& module, const Uses& uses) : Rewriter(pass), m_module(module), m_uses(uses) {}

protected:
    using Rewriter::visit;
    ir::StmtRef visit(const ir::EvaluateStmt& stmt) override;
    ir::StmtRef visit(const ir::DeclareStmt& stmt) override;
    ir::StmtRef visit(const ir::AssignStmt& stmt) override;
    ir::StmtRef visit(const ir::ReturnStmt& stmt) override;
    ir::StmtRef visit(const ir::AssertStmt& stmt) override;
    ir::StmtRef visit(const ir::AsmStmt& stmt) override;
    ir::StmtRef visit(const ir::LaunchStmt& stmt) override;
    ir::StmtRef visit(const ir::StoreStmt& stmt) override;
    ir::StmtRef visit(const ir::IfStmt& stmt) override;
    ir::StmtRef visit(const ir::ForStmt& stmt) override;
    ir::StmtRef visit(const ir::ForMappingStmt& stmt) override;
    ir::StmtRef visit(const ir::WhileStmt& stmt) override;
    ir::ExprRef visit(const ir::Binary& expr) override;
    ir::ExprRef visit(const ir::TensorElement& expr) override;
    ir::ExprRef visit(const ir::Intrinsic& expr) override;
    ir::ExprRef visit(const ir::Call& expr) override;
    ir::ExprRef visit(const ir::Select& expr) override;
    ir::TypeRef visit(const ir::TensorType& type) override { return ir::self(type); }
    ir::TypeRef visit(const ir::TensorPointerType& type) override { return ir::self(type); }

    // What an expression that is lifted as a statement leaves behind where nobody wants a value.
    static ir::ExprRef nothing();
    void lift(ir::StmtRef stmt) { m_prelude.push_back(std::move(stmt)); }
    ir::ExprRef lifted(const ir::Let& expr);
    // Rewrites operands that are evaluated one after the other. Arguments of `callee` by reference stay the places they are.
    ir::ExprVec in_order(const ir::ExprVec& operands, const ir::Function* callee = nullptr);
    // An element with indices that stay what they are now; any other place is itself.
    ir::ExprRef place_of(const ir::ExprRef& place, ir::StmtVec& stmts) const;
    // Variables that the pass made and that nobody assigns once they can be read.
    void add_own(const ir::Var& var) { m_own.insert(&var); }
    bool is_own(const ir::ExprRef& expr) const;
    virtual bool call_acts(const ir::Call&) const { return true; }
    // What stands for an index of `base` in the end; it may be lifted.
    virtual ir::ExprRef final_index(const ir::ExprRef& /*base*/, const ir::ExprRef& index) { return index; }

    const ir::Module& m_module;
    const Uses& m_uses;

private:
    template <class F>
    ir::StmtRef with_prelude(const ir::Stmt& stmt, F&& f);
    struct Apart {
        ir::StmtVec stmts;
        ir::ExprRef value;
    };
    Apart apart(const ir::ExprRef& expr);
    ir::ExprVec with_final_indices(const ir::ExprRef& base, ir::ExprVec operands, std::size_t first);
    ir::ExprRef lazy_logic(const ir::Binary& expr);
    bool acts(const ir::ExprRef& expr) const;
    ir::ExprRef store_away(const ir::ExprRef& value);

    ir::StmtVec m_prelude;
    std::set<const ir::Var*> m_own; // only asked for membership
};

} // namespace hidet::compiler
