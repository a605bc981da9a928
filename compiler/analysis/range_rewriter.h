// SPDX-License-Identifier: Apache-2.0
// A Rewriter that knows the value ranges at the place it is at: from launch dimensions, loops, lets and conditions.
#pragma once

#include "compiler/analysis/launch_bounds.h"
#include "compiler/ir/rewrite.h"

namespace hidet::compiler {

class RangeRewriter : public ir::Rewriter {
public:
    // `bounds` may be null: nothing is known of the launch.
    RangeRewriter(PassId pass, const Uses& uses, const LaunchBounds* bounds);

protected:
    using Rewriter::visit;
    ir::StmtRef visit(const ir::ForStmt& stmt) override;
    ir::StmtRef visit(const ir::IfStmt& stmt) override;
    ir::StmtRef visit(const ir::WhileStmt& stmt) override;
    ir::StmtRef visit(const ir::DeclareStmt& stmt) override;
    ir::StmtRef visit(const ir::SeqStmt& stmt) override;
    ir::ExprRef visit(const ir::Binary& expr) override;
    ir::ExprRef visit(const ir::Select& expr) override;
    ir::ExprRef visit(const ir::Let& expr) override;
    // Types stay as they are, and with them the identity of the variables.
    ir::TypeRef visit(const ir::TensorType& type) override { return ir::self(type); }
    ir::TypeRef visit(const ir::TensorPointerType& type) override { return ir::self(type); }
    ir::TypeRef visit(const ir::PointerType& type) override { return ir::self(type); }

    // What a derived class calls when it overrides the visits above.
    void learn_loop(const ir::Var& var, const ir::ExprRef& extent);
    void learn_value(const ir::Var& var, const ir::ExprRef& value);
    // Conditions hold in the branch only as long as nothing in them changes: conditions on memory say nothing.
    void learn(const ir::ExprRef& condition, bool truth) { ranges.assume(condition, truth); }
    template <class F>
    auto scoped(F&& f) {
        std::size_t mark = ranges.mark();
        auto result = f();
        ranges.restore(mark);
        return result;
    }
    // The body rewritten as it runs where the condition holds, or where it does not.
    ir::StmtRef branch(const ir::ExprRef& condition, bool truth, const ir::StmtRef& body) {
        return scoped([&] {
            learn(condition, truth);
            return rewrite(body);
        });
    }

    const Uses& uses;
    Ranges ranges;
};

// The statement never falls through to the one after it.
bool always_leaves(const ir::Stmt& stmt);

} // namespace hidet::compiler
