// SPDX-License-Identifier: Apache-2.0
#include "lang/ast/walk.h"

namespace hidet::lang::ast {

namespace {

class Children {
public:
    Children(const OnExpr& on_expr, const OnStmt* on_stmt) : m_on_expr(on_expr), m_on_stmt(on_stmt) {}

    // ---- expressions; the rest has none below it
    void operator()(const Expr&) const {}
    void operator()(const FString& e) const {
        for (const FStringPart& part : e.parts)
            one(part.value), one(part.spec);
    }
    void operator()(const Tuple& e) const { all(e.items); }
    void operator()(const List& e) const { all(e.items); }
    void operator()(const Set& e) const { all(e.items); }
    void operator()(const Dict& e) const {
        for (std::size_t i = 0; i < e.values.size(); ++i)
            one(i < e.keys.size() ? e.keys[i] : nullptr), one(e.values[i]);
    }
    void operator()(const Unary& e) const { one(e.operand); }
    void operator()(const Binary& e) const { one(e.left), one(e.right); }
    void operator()(const BoolOp& e) const { all(e.operands); }
    void operator()(const Compare& e) const { one(e.left), all(e.rights); }
    void operator()(const Call& e) const { one(e.callee), all(e.args), keywords(e.keywords); }
    void operator()(const Attribute& e) const { one(e.object); }
    void operator()(const Subscript& e) const { one(e.object), one(e.index); }
    void operator()(const Slice& e) const { one(e.start), one(e.stop), one(e.step); }
    void operator()(const Starred& e) const { one(e.value); }
    void operator()(const Lambda& e) const { params(e.params), one(e.body); }
    void operator()(const IfExp& e) const { one(e.then_value), one(e.condition), one(e.else_value); }
    void operator()(const Comprehension& e) const {
        one(e.element), one(e.value);
        for (const Clause& clause : e.clauses)
            one(clause.target), one(clause.iterable), all(clause.conditions);
    }
    void operator()(const NamedExpr& e) const { one(e.value); }
    void operator()(const Await& e) const { one(e.value); }
    void operator()(const Yield& e) const { one(e.value); }

    // ---- statements
    void operator()(const Stmt&) const {}
    void operator()(const ExprStmt& s) const { one(s.value); }
    void operator()(const Assign& s) const { all(s.targets), one(s.value); }
    void operator()(const AugAssign& s) const { one(s.target), one(s.value); }
    void operator()(const AnnAssign& s) const { one(s.target), one(s.annotation), one(s.value); }
    void operator()(const If& s) const { one(s.condition), block(s.body), block(s.else_body); }
    void operator()(const For& s) const { one(s.target), one(s.iterable), block(s.body), block(s.else_body); }
    void operator()(const While& s) const { one(s.condition), block(s.body), block(s.else_body); }
    void operator()(const FunctionDef& s) const { all(s.decorators), params(s.params), one(s.returns), block(s.body); }
    void operator()(const ClassDef& s) const { all(s.decorators), all(s.bases), keywords(s.keywords), block(s.body); }
    void operator()(const Return& s) const { one(s.value); }
    void operator()(const Assert& s) const { one(s.condition), one(s.message); }
    void operator()(const With& s) const {
        for (const WithItem& item : s.items)
            one(item.context), one(item.target);
        block(s.body);
    }
    void operator()(const Raise& s) const { one(s.value), one(s.cause); }
    void operator()(const Try& s) const {
        block(s.body);
        for (const Handler& handler : s.handlers)
            one(handler.type), block(handler.body);
        block(s.else_body), block(s.finally_body);
    }
    void operator()(const Del& s) const { all(s.targets); }
    void operator()(const Match& s) const {
        one(s.subject);
        for (const MatchCase& one_of : s.cases)
            one(one_of.guard), block(one_of.body);
    }
    void operator()(const ErrorStmt& s) const { block(s.body); }

private:
    void one(const Expr* node) const {
        if (node)
            m_on_expr(*node);
    }
    void all(ExprList list) const {
        for (const Expr* item : list)
            one(item);
    }
    void keywords(std::span<Keyword> list) const {
        for (const Keyword& keyword : list)
            one(keyword.value);
    }
    void params(std::span<Param> list) const {
        for (const Param& param : list)
            one(param.annotation), one(param.default_value);
    }
    void block(Block statements) const {
        for (const Stmt* statement : statements)
            (*m_on_stmt)(*statement);
    }

    const OnExpr& m_on_expr;
    const OnStmt* m_on_stmt; // never null for a statement
};

} // namespace

const ExprList* written_items(const Expr* node) {
    if (const auto* tuple = as<Tuple>(node))
        return &tuple->items;
    const auto* list = as<List>(node);
    return list ? &list->items : nullptr;
}

void each_child(const Expr& node, const OnExpr& f) {
    visit(node, Children(f, nullptr));
}

void each_child(const Stmt& node, const OnExpr& on_expr, const OnStmt& on_stmt) {
    visit(node, Children(on_expr, &on_stmt));
}

} // namespace hidet::lang::ast
