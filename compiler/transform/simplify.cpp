// SPDX-License-Identifier: Apache-2.0
// Makes code smaller and says what is known: constants fold, expressions follow the rules of compiler/simplify, comparisons
// that value ranges decide go away, and with them branches, loops without trips, loops of one trip, statements behind a
// return, and lets that only rename.
//
// Needs: loops that only the loop steers (freeze-loops); takes any level and keeps it.
// Guarantees: nothing with effects is dropped, repeated or moved; loads are not speculated.
// Why here: after every pass that makes arithmetic or constants, in few places, since it walks everything.
#include "compiler/analysis/range_rewriter.h"
#include "compiler/ir/ops.h"
#include "compiler/simplify/expr_simplifier.h"
#include "compiler/transform/exits.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

bool is_empty(const StmtRef& stmt) {
    const auto* seq = as<SeqStmt>(stmt);
    return !stmt || (seq && seq->stmts.empty());
}

class Simplifier : public RangeRewriter {
public:
    Simplifier(PassId pass, const Uses& uses, const LaunchBounds* bounds)
        : RangeRewriter(pass, uses, bounds), m_exprs(ranges) {}

protected:
    using RangeRewriter::visit;

    // ---- expressions ----------------------------------------------------------------------------------------------
    ExprRef visit(const Var& var) override {
        ExprRef by = Rewriter::visit(var);
        return by->kind == Kind::Var ? known_constant(by) : by;
    }
    ExprRef visit(const BuiltinVar& expr) override { return known_constant(self(expr)); }
    ExprRef visit(const Constant& expr) override { return self(expr); }
    ExprRef visit(const Unary& expr) override { return improved<Unary>(rebuild(expr)); }
    ExprRef visit(const Cast& expr) override { return improved<Cast>(rebuild(expr)); }
    ExprRef visit(const Deref& expr) override { return improved<Deref>(rebuild(expr)); }
    ExprRef visit(const Address& expr) override { return improved<Address>(rebuild(expr)); }
    ExprRef visit(const Intrinsic& expr) override { return improved<Intrinsic>(rebuild(expr)); }
    ExprRef visit(const Binary& expr) override { return improved<Binary>(RangeRewriter::visit(expr)); }
    ExprRef visit(const Select& expr) override { return improved<Select>(RangeRewriter::visit(expr)); }

    // ---- statements -----------------------------------------------------------------------------------------------
    StmtRef visit(const EvaluateStmt& stmt) override {
        ExprRef value = rewrite(stmt.value);
        if (can_forget(value) && value->type->kind != Kind::VoidType)
            return nullptr;
        return value == stmt.value ? self(stmt) : make_evaluate(std::move(value));
    }
    StmtRef visit(const DeclareStmt& stmt) override {
        StmtRef rebuilt = RangeRewriter::visit(stmt);
        const auto* declare = as<DeclareStmt>(rebuilt);
        if (!declare->is_let || !is_name(declare->init) || !same_type(declare->init->type, declare->var->type))
            return rebuilt;
        replace(declare->var, declare->init);
        return nullptr;
    }
    StmtRef visit(const AssertStmt& stmt) override {
        ExprRef condition = rewrite(stmt.condition);
        if (is_constant(condition, 1))
            return nullptr;
        return condition == stmt.condition ? self(stmt) : make_assert(std::move(condition), stmt.message);
    }
    StmtRef visit(const IfStmt& stmt) override {
        ExprRef condition = rewrite(stmt.condition);
        if (auto known = constant_int(condition))
            return rewrite(*known ? stmt.then_body : stmt.else_body);
        StmtRef then_body = branch(condition, true, stmt.then_body);
        StmtRef else_body = branch(condition, false, stmt.else_body);
        if (is_empty(else_body))
            else_body = nullptr;
        if (is_empty(then_body) && !else_body)
            return can_forget(condition) ? nullptr : make_evaluate(std::move(condition));
        if (is_empty(then_body)) {
            ExprRef negated = logical_not(condition);
            return make_if(improved_by_kind(negated), std::move(else_body));
        }
        if (condition == stmt.condition && then_body == stmt.then_body && else_body == stmt.else_body)
            return self(stmt);
        return make_if(std::move(condition), std::move(then_body), std::move(else_body));
    }
    StmtRef visit(const WhileStmt& stmt) override {
        StmtRef rebuilt = RangeRewriter::visit(stmt);
        return is_constant(as<WhileStmt>(rebuilt)->condition, 0) ? nullptr : rebuilt;
    }
    StmtRef visit(const ForStmt& stmt) override {
        ExprRef extent = rewrite(stmt.extent);
        auto trips = constant_int(extent);
        if (trips && *trips <= 0)
            return nullptr;
        StmtRef body = scoped([&] {
            learn_loop(*stmt.var, extent);
            return rewrite(stmt.body);
        });
        if (is_empty(body) && can_forget(extent))
            return nullptr;
        bool is_replaced = uses.is_immutable(*stmt.var); // by 0, which its range says
        if (trips == 1 && is_replaced) {
            Straightened straight = without_exits(body);
            if (straight.done)
                return straight.body;
        }
        if (extent == stmt.extent && body == stmt.body)
            return self(stmt);
        return make_for(stmt.var, std::move(extent), stmt.attr, std::move(body));
    }
    StmtRef visit(const SeqStmt& stmt) override {
        StmtRef rebuilt = RangeRewriter::visit(stmt);
        const auto* seq = as<SeqStmt>(rebuilt);
        if (!seq)
            return rebuilt;
        if (seq->stmts.empty())
            return nullptr;
        for (std::size_t i = 0; i + 1 < seq->stmts.size(); ++i)
            if (always_leaves(*seq->stmts[i])) // nothing behind it runs
                return make_seq(StmtVec(seq->stmts.begin(), seq->stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1));
        return rebuilt;
    }

private:
    template <class T>
    ExprRef improved(const ExprRef& expr) {
        const T* node = as<T>(expr);
        if (!node)
            return expr;
        ExprRef result = m_exprs.better(*node);
        return result ? result : expr;
    }
    ExprRef improved_by_kind(const ExprRef& expr) {
        return expr->kind == Kind::Unary ? improved<Unary>(expr) : improved<Binary>(expr);
    }
    ExprRef known_constant(const ExprRef& expr) const {
        ExprRef constant = ranges.constant_of(expr);
        return constant ? constant : expr;
    }
    // Constants, and immutable variables: a let of one is only another name.
    bool is_name(const ExprRef& value) const {
        if (value->kind == Kind::Constant || value->kind == Kind::SymbolVar)
            return true;
        const auto* var = as<Var>(value);
        return var && uses.is_immutable(*var);
    }

    ExprSimplifier m_exprs;
};

} // namespace

ModuleRef simplify(const ModuleRef& module, PassContext& context) {
    auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) {
        Uses uses = uses_in(*function, module.get());
        Simplifier simplifier(context.pass, uses, find_bounds(bounds, *function));
        return with_body(function, simplifier.rewrite(function->body));
    });
}

} // namespace hidet::compiler
