// SPDX-License-Identifier: Apache-2.0
#include "lang/ast/walk.h"
#include "lang/parse/builder_state.h"
#include "lang/parse/operators.h"

namespace hidet::lang {

// ---- simple statements ----

void StatementBuilder::pass_statement(Extent at) {
    s.statement(at, ast::Pass{});
}

void StatementBuilder::break_statement(Extent at) {
    s.statement(at, ast::Break{});
}

void StatementBuilder::continue_statement(Extent at) {
    s.statement(at, ast::Continue{});
}

// What an annotation or an augmented assignment may stand beside: no tuple, no list.
static bool is_single_target(const Expr& target) {
    return target.kind == ast::Kind::Name || target.kind == ast::Kind::Attribute ||
           target.kind == ast::Kind::Subscript || target.kind == ast::Kind::ErrorExpr;
}

void StatementBuilder::annotated_assignment(Expr* target, Expr* annotation, Height from, Extent at) {
    ast::ExprList value = s.take(from);
    ast::AnnAssign node{{}, s.or_error(target), s.or_error(annotation), value.empty() ? nullptr : value[0]};
    s.require_no_star(node.value);
    if (is_single_target(*node.target))
        s.check_target(node.target, true);
    else
        s.fault(DiagId::SyntaxAnnotationTarget, node.target->span, describe(node.target));
    s.statement(at, node);
}

void StatementBuilder::augmented_assignment(Expr* target, Index op, Expr* value, Extent at) {
    ast::AugAssign node{{}, binary_op(s.token(op).kind), s.or_error(target), s.or_error(value)};
    s.require_no_star(node.value);
    if (is_single_target(*node.target))
        s.check_target(node.target, true);
    else
        s.fault(DiagId::SyntaxAssignTarget, node.target->span, cat(describe(node.target), " with '", s.word(op), "'"));
    s.statement(at, node);
}

void StatementBuilder::assignment_or_expression(Height from, Extent at) {
    ast::ExprList all = s.take(from);
    if (all.empty())
        return;
    s.require_no_star(all.back());
    if (all.size() == 1)
        return s.statement(at, ast::ExprStmt{{}, all[0]});
    const ast::ExprList targets = all.first(all.size() - 1);
    for (const Expr* target : targets)
        s.check_target(target, true);
    s.statement(at, ast::Assign{{}, targets, all.back()});
}

void StatementBuilder::delete_statement(Expr* targets, Extent at) {
    ast::Del node;
    targets = s.or_error(targets);
    const auto* tuple = ast::as<ast::Tuple>(targets);
    bool bare = tuple && tuple->items.size() > 0 && s.tokens[at.first + 1].begin == tuple->items[0]->span.begin;
    bare = bare && !tuple->parenthesized;
    node.targets = bare ? tuple->items : s.arena.copy(std::vector<Expr*>{targets});
    for (const Expr* target : node.targets)
        s.check_delete(target);
    s.statement(at, node);
}

void StatementBuilder::return_statement(Expr* value, Extent at) {
    s.require_no_star(value);
    s.statement(at, ast::Return{{}, value});
}

static Expr* item(ast::ExprList parts, std::size_t i) {
    return i < parts.size() ? parts[i] : nullptr;
}

void StatementBuilder::raise_statement(Height from, Extent at) {
    ast::ExprList parts = s.take(from);
    s.statement(at, ast::Raise{{}, item(parts, 0), item(parts, 1)});
}

void StatementBuilder::assert_statement(Height from, Extent at) {
    ast::ExprList parts = s.take(from);
    s.statement(at, ast::Assert{{}, s.or_error(item(parts, 0)), item(parts, 1)});
}

Height StatementBuilder::names() {
    return s.names.size();
}

void StatementBuilder::push_name(Index token) {
    s.names.push_back({s.ident(token), {}});
}

void StatementBuilder::global_statement(Index word, Height from, Extent at) {
    std::vector<ast::Ident> names;
    for (const ast::ImportName& name : s.take(s.names, from))
        names.push_back(name.name);
    if (s.token(word).kind == Tok::GLOBAL)
        s.statement(at, ast::Global{{}, s.arena.copy(names)});
    else
        s.statement(at, ast::Nonlocal{{}, s.arena.copy(names)});
}

// ---- imports ----

// The words of `a . b`, without what stands between them.
static ast::Ident dotted(BuilderState& s, Extent name) {
    if (name.first >= s.tokens.size())
        return {};
    std::string text;
    for (Index i = name.first; i <= name.last && i < s.tokens.size(); ++i)
        text += s.word(i);
    return {s.arena.copy(text), s.span(name)};
}

void StatementBuilder::push_import(Extent name, Index) {
    s.names.push_back({dotted(s, name), {}});
}

void StatementBuilder::import_alias(Index token) {
    if (!s.names.empty())
        s.names.back().as = s.ident(token);
}

void StatementBuilder::import_statement(Height from, Extent at) {
    s.statement(at, ast::Import{{}, s.take(s.names, from)});
}

void StatementBuilder::begin_from() {
    s.import_dots = 0;
}

void StatementBuilder::from_dots(int count) {
    s.import_dots += count;
}

void StatementBuilder::from_statement(Extent module, Height from, Extent at) {
    s.statement(at, ast::ImportFrom{{}, s.import_dots, dotted(s, module), s.take(s.names, from)});
}

// ---- compound statements ----

Height StatementBuilder::arms() {
    return s.arms.size();
}

void StatementBuilder::push_arm(Index word, Expr* head, Block body) {
    s.arms.push_back({.word = word, .head = head, .body = body});
}

void StatementBuilder::push_handler(bool is_group, Expr* type, Index name, Block body, Extent at) {
    s.arms.push_back({.word = at.first,
                      .is_handler = true,
                      .is_group = is_group,
                      .handler = {type, s.ident(name), s.block(body), s.span(at)}});
}

static Span to_end(const BuilderState& s, Index word, Span whole) {
    return {s.file, s.token(word).begin, whole.end};
}

void StatementBuilder::if_statement(Height from, Extent at) {
    std::span<Arm> arms = s.take(s.arms, from);
    Span whole = s.span(at);
    ast::Block rest;
    Height base = s.statements.size();
    for (std::size_t i = arms.size(); i-- > 0;) {
        const Arm& arm = arms[i];
        if (s.token(arm.word).kind == Tok::ELSE) {
            rest = s.block(arm.body);
            continue;
        }
        s.statement(to_end(s, arm.word, whole), ast::If{{}, s.or_error(arm.head), s.block(arm.body), rest});
        if (i > 0)
            rest = s.take(s.statements, base);
    }
}

// The `else` of a loop.
static std::pair<ast::Block, Span> else_of(const BuilderState& s, std::span<Arm> arms) {
    return arms.size() > 1 ? std::pair(s.block(arms[1].body), s.span(arms[1].word)) : std::pair(ast::Block(), Span());
}

void StatementBuilder::while_statement(Height from, Extent at) {
    std::span<Arm> arms = s.take(s.arms, from);
    if (arms.empty())
        return;
    const auto [else_body, else_span] = else_of(s, arms);
    s.statement(at, ast::While{{}, s.or_error(arms[0].head), s.block(arms[0].body), else_body, else_span});
}

void StatementBuilder::for_statement(Height from, Expr* target, Extent at) {
    std::span<Arm> arms = s.take(s.arms, from);
    if (arms.empty())
        return;
    Expr* source = s.or_error(arms[0].head);
    s.require_no_star(source);
    const auto [else_body, else_span] = else_of(s, arms);
    const bool is_async = s.token(at.first).kind == Tok::ASYNC;
    s.statement(at, ast::For{{}, s.or_error(target), source, s.block(arms[0].body), else_body, else_span, is_async});
}

namespace {

void check_handlers(BuilderState& s, std::span<Arm> arms, std::size_t handlers) {
    for (std::size_t i = 1; i <= handlers; ++i) {
        const Arm& arm = arms[i];
        Span word = s.span(arm.word);
        if (arm.is_group != arms[1].is_group)
            s.fault(DiagId::SyntaxTry, word, "'except' and 'except*' cannot stand in one 'try'");
        if (arm.is_group && !arm.handler.type)
            s.fault(DiagId::SyntaxTry, word, "'except*' needs an exception type");
        else if (!arm.handler.type && i < handlers)
            s.fault(DiagId::SyntaxTry, word, "an 'except' without a type must be the last one");
    }
}

} // namespace

void StatementBuilder::try_statement(Height from, Extent at) {
    std::span<Arm> arms = s.take(s.arms, from);
    if (arms.empty())
        return;
    ast::Try node;
    node.body = s.block(arms[0].body);
    std::vector<ast::Handler> handlers;
    for (std::size_t i = 1; i < arms.size(); ++i) {
        const Arm& arm = arms[i];
        if (arm.is_handler) {
            handlers.push_back(arm.handler);
            node.is_group |= arm.is_group;
        } else {
            (s.token(arm.word).kind == Tok::ELSE ? node.else_body : node.finally_body) = s.block(arm.body);
        }
    }
    node.handlers = s.arena.copy(handlers);
    check_handlers(s, arms, handlers.size());
    std::string_view next = s.token(at.last + 1).kind == Tok::NAME ? s.word(at.last + 1) : "";
    bool misspelt = next == "catch" || !closest(next, {"except", "finally"}).empty(); // which is reported there
    if (handlers.empty() && node.finally_body.empty() && !misspelt)
        s.fault(DiagId::SyntaxTry, s.span(arms[0].word), "this 'try' has neither 'except' nor 'finally'");
    s.statement(at, node);
}

Height StatementBuilder::items() {
    return s.items.size();
}

void StatementBuilder::push_item(Expr* context, Expr* target) {
    if (target)
        s.check_target(target, true);
    s.items.push_back({s.or_error(context), target});
}

void StatementBuilder::with_statement(Height from, Block body, Extent at) {
    const bool is_async = s.token(at.first).kind == Tok::ASYNC;
    s.statement(at, ast::With{{}, s.take(s.items, from), s.block(body), is_async});
}

// ---- targets ----

bool BuilderState::is_open(const Expr* value, const char*& what) const {
    if (value->parenthesized)
        return false;
    switch (value->kind) {
    case ast::Kind::BoolOp: what = static_cast<const ast::BoolOp*>(value)->is_and ? "'and'" : "'or'"; return true;
    case ast::Kind::Compare: what = "comparison"; return true;
    case ast::Kind::IfExp: what = "conditional value"; return true;
    case ast::Kind::Lambda: what = "lambda"; return true;
    case ast::Kind::Unary: what = "'not'"; return static_cast<const ast::Unary*>(value)->op == ast::UnaryOp::Not;
    default: return false;
    }
}

void BuilderState::require_no_star(const Expr* value) {
    if (ast::as<ast::Starred>(value))
        fault(DiagId::SyntaxStarred, value->span, "cannot use a starred expression here");
}

void BuilderState::check_target(const Expr* target, bool top) {
    auto check_items = [&](ast::ExprList items) {
        int stars = 0;
        for (const Expr* item : items) {
            if (ast::as<ast::Starred>(item) && ++stars == 2)
                fault(DiagId::SyntaxStarred, item->span, "two starred targets in one assignment");
            check_target(item, false);
        }
    };
    switch (target->kind) {
    case ast::Kind::Name: {
        if (static_cast<const ast::Name*>(target)->id == "__debug__")
            fault(DiagId::SyntaxAssignTarget, target->span, "'__debug__'");
        return;
    }
    case ast::Kind::Attribute:
    case ast::Kind::Subscript:
    case ast::Kind::ErrorExpr: return;
    case ast::Kind::Tuple:
    case ast::Kind::List: return check_items(*ast::written_items(target));
    case ast::Kind::Starred:
        if (top)
            fault(DiagId::SyntaxStarred, target->span, "a starred target must stand in a list or tuple: '*a, = b'");
        return check_target(static_cast<const ast::Starred*>(target)->value, false);
    case ast::Kind::Binary:
    case ast::Kind::Compare:
    case ast::Kind::BoolOp:
    case ast::Kind::Unary:
        return fault(DiagId::SyntaxAssignTarget, target->span, cat(describe(target), "; did you mean '=='?"));
    default: fault(DiagId::SyntaxAssignTarget, target->span, describe(target));
    }
}

void BuilderState::check_delete(const Expr* target) {
    switch (target->kind) {
    case ast::Kind::Name:
    case ast::Kind::Attribute:
    case ast::Kind::Subscript:
    case ast::Kind::ErrorExpr: return;
    case ast::Kind::Tuple:
    case ast::Kind::List:
        for (const Expr* item : *ast::written_items(target))
            check_delete(item);
        return;
    default: fault(DiagId::SyntaxDeleteTarget, target->span, describe(target));
    }
}

static std::string describe_constant(const ast::Constant& value) {
    switch (value.what) {
    case ast::ConstantKind::None: return "'None'";
    case ast::ConstantKind::True: return "'True'";
    case ast::ConstantKind::False: return "'False'";
    case ast::ConstantKind::Ellipsis: return "'...'";
    case ast::ConstantKind::String: return "a string";
    case ast::ConstantKind::Bytes: return "a bytes literal";
    default: return cat("the number ", value.text);
    }
}

std::string describe(const Expr* value) {
    switch (value->kind) {
    case ast::Kind::Name: return cat("'", static_cast<const ast::Name*>(value)->id, "'");
    case ast::Kind::Constant: return describe_constant(*static_cast<const ast::Constant*>(value));
    case ast::Kind::FString: return "an f-string";
    case ast::Kind::Tuple: return "a tuple";
    case ast::Kind::List: return "a list";
    case ast::Kind::Set: return "a set";
    case ast::Kind::Dict: return "a dict";
    case ast::Kind::Unary: return "an expression";
    case ast::Kind::Binary: return "an expression";
    case ast::Kind::BoolOp: return "an expression";
    case ast::Kind::Compare: return "a comparison";
    case ast::Kind::Call: return "the result of a call";
    case ast::Kind::Attribute: return "an attribute";
    case ast::Kind::Subscript: return "an element";
    case ast::Kind::Slice: return "a slice";
    case ast::Kind::Starred: return "a starred expression";
    case ast::Kind::Lambda: return "a lambda";
    case ast::Kind::IfExp: return "a conditional value";
    case ast::Kind::Comprehension: return "a comprehension";
    case ast::Kind::NamedExpr: return "a ':=' expression";
    case ast::Kind::Await: return "an 'await' expression";
    case ast::Kind::Yield: return "a 'yield' expression";
    default: return "this";
    }
}

} // namespace hidet::lang
