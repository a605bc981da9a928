// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/silence.h"

#include <algorithm>

namespace hidet::lang {

namespace {

using ast::Kind;

class Silencer {
public:
    Silencer(Span fault, Arena& arena) : m_fault(fault), m_arena(arena) {}

    void block(ast::Block statements) {
        for (ast::Stmt*& statement : statements)
            if (holds(statement->span))
                statement = replace(*statement);
    }

private:
    bool holds(Span span) const {
        return m_fault.begin >= span.begin && m_fault.begin < std::max(span.end, span.begin + 1);
    }
    bool holds(const ast::Expr* expr) const { return expr && holds(expr->span); }
    bool holds(ast::Block statements) const {
        return std::any_of(statements.begin(), statements.end(), [&](const ast::Stmt* s) { return holds(s->span); });
    }

    ast::Expr* error(Span span) {
        ast::ErrorExpr node;
        node.kind = Kind::ErrorExpr;
        node.span = span;
        return m_arena.make(node);
    }
    ast::Stmt* error_statement(Span span) {
        ast::ErrorStmt node;
        node.kind = Kind::ErrorStmt;
        node.span = span;
        return m_arena.make(node);
    }
    void blank(ast::Expr*& expr) {
        if (holds(expr))
            expr = error(expr->span);
    }
    // `name = <error>`, so that uses of the name stay silent, too.
    ast::Stmt* unknown(const ast::Ident& ident, Span span) {
        ast::Name name;
        name.kind = Kind::Name;
        name.span = ident.span;
        name.id = ident.text;
        ast::Assign assign;
        assign.kind = Kind::Assign;
        assign.span = span;
        assign.targets = m_arena.copy(std::vector<ast::Expr*>{m_arena.make(name)});
        assign.value = error(span);
        return m_arena.make(assign);
    }
    static bool bind_names_only(ast::ExprList targets) {
        return std::all_of(targets.begin(), targets.end(), [](const ast::Expr* target) {
            const auto* tuple = ast::as<ast::Tuple>(target);
            return tuple ? bind_names_only(tuple->items) : target && target->kind == Kind::Name;
        });
    }

    // The statement to stand here instead; the same one, changed inside, where that is enough.
    ast::Stmt* replace(ast::Stmt& node) {
        switch (node.kind) {
        case Kind::If: return in_if(static_cast<ast::If&>(node));
        case Kind::For: {
            auto& loop = static_cast<ast::For&>(node);
            blank(loop.iterable);
            block(loop.body), block(loop.else_body);
            return &node;
        }
        case Kind::While: {
            auto& loop = static_cast<ast::While&>(node);
            blank(loop.condition);
            block(loop.body), block(loop.else_body);
            return &node;
        }
        case Kind::With: block(static_cast<ast::With&>(node).body); return &node;
        case Kind::Try: return in_try(static_cast<ast::Try&>(node));
        case Kind::FunctionDef: {
            auto& def = static_cast<ast::FunctionDef&>(node);
            if (!holds(def.body) && header_holds(def))
                return unknown(def.name, node.span);
            block(def.body);
            return &node;
        }
        case Kind::ClassDef: block(static_cast<ast::ClassDef&>(node).body); return &node;
        case Kind::Assign: return in_assign(static_cast<ast::Assign&>(node));
        default: return error_statement(node.span);
        }
    }
    ast::Stmt* in_if(ast::If& node) {
        blank(node.condition);
        block(node.body), block(node.else_body);
        return &node;
    }
    ast::Stmt* in_try(ast::Try& node) {
        block(node.body), block(node.else_body), block(node.finally_body);
        for (ast::Handler& handler : node.handlers)
            block(handler.body);
        return &node;
    }
    ast::Stmt* in_assign(ast::Assign& node) {
        if (!bind_names_only(node.targets))
            return error_statement(node.span);
        node.value = error(node.value ? node.value->span : node.span);
        return &node;
    }
    bool header_holds(const ast::FunctionDef& def) const {
        return holds(def.returns) ||
               std::any_of(def.params.begin(), def.params.end(), [&](const ast::Param& p) { return holds(p.span); });
    }

    Span m_fault;
    Arena& m_arena;
};

} // namespace

void silence_faulty(ast::Block block, const Faults& faults, Arena& arena) {
    for (const Diagnostic& fault : faults.all())
        if (fault.severity == Severity::Error)
            Silencer(fault.span, arena).block(block);
}

} // namespace hidet::lang
