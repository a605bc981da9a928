// SPDX-License-Identifier: Apache-2.0
#include "lang/script/translator.h"

#include <algorithm>

#include "lang/ast/walk.h"

namespace hidet::lang {

namespace {

template <class F>
void for_each_block(const ast::Stmt& stmt, F&& f) {
    if (const auto* s = ast::as<ast::If>(&stmt)) {
        f(s->body);
        f(s->else_body);
    } else if (const auto* s = ast::as<ast::For>(&stmt)) {
        f(s->body);
        f(s->else_body);
    } else if (const auto* s = ast::as<ast::While>(&stmt)) {
        f(s->body);
        f(s->else_body);
    } else if (const auto* s = ast::as<ast::With>(&stmt)) {
        f(s->body);
    }
}

void collect(ast::Block block, NameCounts& out) {
    for (const ast::Stmt* stmt : block) {
        if (const auto* s = ast::as<ast::Assign>(stmt)) {
            for (const ast::Expr* target : s->targets)
                count_target(*target, 1, out);
        } else if (const auto* s = ast::as<ast::AugAssign>(stmt)) {
            count_target(*s->target, 2, out);
        } else if (const auto* s = ast::as<ast::AnnAssign>(stmt)) {
            count_target(*s->target, 1, out);
        } else if (const auto* s = ast::as<ast::For>(stmt)) {
            count_target(*s->target, 2, out);
        } else if (const auto* s = ast::as<ast::With>(stmt)) {
            for (const ast::WithItem& item : s->items)
                if (item.target)
                    count_target(*item.target, 2, out);
        }
        for_each_block(*stmt, [&](ast::Block inner) { collect(inner, out); });
    }
}

template <class T>
bool has_jump(ast::Block body) {
    for (const ast::Stmt* stmt : body) {
        if (stmt->kind == T::tag)
            return true;
        if (const auto* s = ast::as<ast::If>(stmt)) {
            if (has_jump<T>(s->body) || has_jump<T>(s->else_body))
                return true;
        } else if (const auto* s = ast::as<ast::With>(stmt)) {
            if (has_jump<T>(s->body))
                return true;
        } else if (const auto* s = ast::as<ast::For>(stmt)) { // the else part belongs to the outer loop
            if (has_jump<T>(s->else_body))
                return true;
        } else if (const auto* s = ast::as<ast::While>(stmt)) {
            if (has_jump<T>(s->else_body))
                return true;
        }
    }
    return false;
}

} // namespace

void count_target(const ast::Expr& target, int times, NameCounts& out) {
    if (const auto* name = ast::as<ast::Name>(&target))
        out[name->id] += times;
    else if (const auto* items = ast::written_items(&target))
        for (const ast::Expr* item : *items)
            count_target(*item, times, out);
    else if (const auto* starred = ast::as<ast::Starred>(&target))
        count_target(*starred->value, times, out);
}

NameCounts assigned_names(ast::Block block) {
    NameCounts out;
    collect(block, out);
    return out;
}

bool may_call(const ast::Expr& expr) {
    switch (expr.kind) {
    case ast::Kind::Name:
    case ast::Kind::Constant: return false;
    case ast::Kind::Attribute: return may_call(*ast::to<ast::Attribute>(expr).object);
    case ast::Kind::Unary: return may_call(*ast::to<ast::Unary>(expr).operand);
    case ast::Kind::Binary: {
        const auto& binary = ast::to<ast::Binary>(expr);
        return may_call(*binary.left) || may_call(*binary.right);
    }
    case ast::Kind::Subscript: {
        const auto& subscript = ast::to<ast::Subscript>(expr);
        return may_call(*subscript.object) || may_call(*subscript.index);
    }
    case ast::Kind::Tuple: {
        ast::ExprList items = ast::to<ast::Tuple>(expr).items;
        return std::ranges::any_of(items, [](const ast::Expr* item) { return may_call(*item); });
    }
    default: return true;
    }
}

bool has_break(ast::Block body) {
    return has_jump<ast::Break>(body);
}

bool has_continue(ast::Block body) {
    return has_jump<ast::Continue>(body);
}

} // namespace hidet::lang
