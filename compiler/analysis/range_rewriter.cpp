// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/range_rewriter.h"

#include "compiler/ir/family.h"

namespace hidet::compiler {

using namespace ir;

RangeRewriter::RangeRewriter(PassId pass, const Uses& uses, const LaunchBounds* bounds) : Rewriter(pass), uses(uses) {
    ranges.set_uses(&uses);
    if (bounds)
        bind(ranges, *bounds);
}

void RangeRewriter::learn_loop(const Var& var, const ExprRef& extent) {
    auto range = ranges.of(extent);
    if (!range || range->hi < 1 || !uses.is_immutable(var))
        return;
    auto type = scalar_of(var.type);
    Range values{0, range->hi - 1};
    if (type && is_integer(*type) && type_range(*type).contains(values))
        ranges.bind(var, values);
}

void RangeRewriter::learn_value(const Var& var, const ExprRef& value) {
    if (!uses.is_immutable(var))
        return;
    if (auto range = ranges.of(value))
        ranges.bind(var, *range);
}

StmtRef RangeRewriter::visit(const ForStmt& stmt) {
    ExprRef extent = rewrite(stmt.extent);
    StmtRef body = scoped([&] {
        learn_loop(*stmt.var, extent);
        return rewrite(stmt.body);
    });
    if (extent == stmt.extent && body == stmt.body)
        return self(stmt);
    return make_for(stmt.var, std::move(extent), stmt.attr, std::move(body));
}

StmtRef RangeRewriter::visit(const IfStmt& stmt) {
    ExprRef condition = rewrite(stmt.condition);
    StmtRef then_body = branch(condition, true, stmt.then_body);
    StmtRef else_body = branch(condition, false, stmt.else_body);
    if (condition == stmt.condition && then_body == stmt.then_body && else_body == stmt.else_body)
        return self(stmt);
    return make_if(std::move(condition), std::move(then_body), std::move(else_body));
}

StmtRef RangeRewriter::visit(const WhileStmt& stmt) {
    ExprRef condition = rewrite(stmt.condition);
    StmtRef body = branch(condition, true, stmt.body);
    if (condition == stmt.condition && body == stmt.body)
        return self(stmt);
    return make_while(std::move(condition), std::move(body));
}

StmtRef RangeRewriter::visit(const DeclareStmt& stmt) {
    auto rebuilt = rebuild(stmt);
    if (rebuilt->init && !stmt.is_static)
        learn_value(*rebuilt->var, rebuilt->init);
    return rebuilt;
}

StmtRef RangeRewriter::visit(const SeqStmt& stmt) {
    return scoped([&]() -> StmtRef {
        StmtVec stmts;
        bool changed = false;
        for (const StmtRef& inner : stmt.stmts) {
            StmtRef mapped = rewrite(inner);
            changed = changed || mapped != inner;
            if (!mapped)
                continue;
            // After `if c: return` the rest runs where c is false.
            if (const auto* branch = as<IfStmt>(mapped);
                branch && !branch->else_body && always_leaves(*branch->then_body))
                learn(branch->condition, false);
            stmts.push_back(std::move(mapped));
        }
        return changed ? make_seq(std::move(stmts)) : self(stmt);
    });
}

ExprRef RangeRewriter::visit(const Binary& expr) {
    if (expr.op != BinOp::And && expr.op != BinOp::Or)
        return rebuild(expr);
    // The right side is evaluated only when the left did not decide.
    ExprRef a = rewrite(expr.a);
    ExprRef b = scoped([&] {
        learn(a, expr.op == BinOp::And);
        return rewrite(expr.b);
    });
    return a == expr.a && b == expr.b ? self(expr) : make_binary(expr.op, std::move(a), std::move(b));
}

ExprRef RangeRewriter::visit(const Select& expr) {
    ExprRef condition = rewrite(expr.condition);
    auto arm = [&](const ExprRef& value, bool truth) {
        return scoped([&] {
            learn(condition, truth);
            return rewrite(value);
        });
    };
    ExprRef a = arm(expr.a, true);
    ExprRef b = arm(expr.b, false);
    if (condition == expr.condition && a == expr.a && b == expr.b)
        return self(expr);
    return make_select(std::move(condition), std::move(a), std::move(b));
}

ExprRef RangeRewriter::visit(const Let& expr) {
    ExprRef value = rewrite(expr.value);
    ExprRef body = scoped([&] {
        learn_value(*expr.var, value);
        return rewrite(expr.body);
    });
    return value == expr.value && body == expr.body ? self(expr)
                                                    : make_let(expr.var, std::move(value), std::move(body));
}

bool always_leaves(const Stmt& stmt) {
    switch (kind_of(stmt)) {
    case HIDET_EXIT_STMTS: return true;
    case StmtKind::SeqStmt: {
        const auto& stmts = static_cast<const SeqStmt&>(stmt).stmts;
        return !stmts.empty() && always_leaves(*stmts.back());
    }
    case StmtKind::IfStmt: {
        const auto& branch = static_cast<const IfStmt&>(stmt);
        return branch.else_body && always_leaves(*branch.then_body) && always_leaves(*branch.else_body);
    }
    case HIDET_PLAIN_STMTS:
    case HIDET_LOOP_STMTS: return false;
    }
    no_such_kind(stmt);
}

} // namespace hidet::compiler
