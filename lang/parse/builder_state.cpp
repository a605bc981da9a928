// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/builder_state.h"

#include <algorithm>

#include "lang/parse/names_of_line.h"

namespace hidet::lang {

namespace {
constexpr int max_expression_depth = 700;
constexpr int max_statement_depth = 1000;

template <class T>
void shrink(std::vector<T>& stack, std::size_t height) {
    if (stack.size() > height)
        stack.resize(height);
}
} // namespace

void BuilderState::cut_back(const Frame& f) {
    shrink(exprs, f.exprs);
    shrink(operators, f.operators);
    shrink(operands, f.operands);
    shrink(arguments, f.arguments);
    shrink(parameters, f.parameters);
    shrink(arms, f.arms);
    shrink(items, f.items);
    shrink(names, f.names);
    shrink(clauses, f.clauses);
    shrink(conditions, f.conditions);
    shrink(clause_marks, f.clause_marks);
    shrink(entries, f.entries);
    shrink(pieces, f.pieces);
    shrink(parts, f.parts);
    shrink(formats, f.formats);
    shrink(cases, f.cases);
    shrink(patterns, f.patterns);
    shrink(statements, f.statements);
}

Span BuilderState::span(Extent at) const {
    if (at.first >= tokens.size())
        return {file, 0, 0};
    Index last = std::min<Index>(at.last, static_cast<Index>(tokens.size() - 1));
    auto ends_line = [&](Index i) {
        Tok kind = tokens[i].kind;
        return kind == Tok::NEWLINE || kind == Tok::DEDENT || kind == Tok::INDENT || kind == Tok::NO_BODY;
    };
    while (last > at.first && last != no_token && ends_line(last))
        --last;
    if (last < at.first || at.last == no_token)
        last = at.first;
    return {file, tokens[at.first].begin, tokens[last].end};
}

Expr* BuilderState::with_depth(Expr* value, std::initializer_list<const ast::Node*> children, ast::ExprList more) {
    int depth = depth_of(more);
    for (const ast::Node* child : children)
        if (child)
            depth = std::max<int>(depth, child->depth);
    if (depth + 1 > max_expression_depth) {
        if (!faults.any_in(DiagId::SyntaxTooDeep, value->span)) // a part that is too deep makes the whole so
            fault(DiagId::SyntaxTooDeep, value->span, "expression");
        return error(value->span);
    }
    value->depth = static_cast<std::uint16_t>(depth + 1);
    return value;
}

std::uint16_t BuilderState::depth_of(ast::ExprList list) const {
    std::uint16_t depth = 0;
    for (const Expr* item : list)
        if (item)
            depth = std::max(depth, item->depth);
    return depth;
}

std::uint16_t BuilderState::depth_of(ast::Block block) const {
    std::uint16_t depth = 0;
    for (const ast::Stmt* item : block)
        depth = std::max(depth, item->depth);
    return depth;
}

ast::ExprList BuilderState::take(Height from) {
    return take(exprs, from);
}

void BuilderState::statement(ast::Stmt* value, std::initializer_list<std::uint16_t> depths) {
    int depth = depths.size() ? std::max(depths) : 0;
    if (depth + 1 > max_statement_depth) {
        fault(DiagId::SyntaxTooDeep, {file, value->span.begin, value->span.begin + 1}, "statement");
        statements.push_back(node(value->span, ast::ErrorStmt{}));
        return;
    }
    value->depth = static_cast<std::uint16_t>(depth + 1);
    statements.push_back(value);
}

void TreeBuilder::begin_statement() {
    s.frames.push_back(s.heights());
}

void TreeBuilder::end_statement() {
    if (!s.frames.empty())
        s.frames.pop_back();
}

void TreeBuilder::statement_failed(Extent tokens) {
    if (!s.frames.empty()) {
        s.cut_back(s.frames.back());
        s.frames.pop_back();
    }
    s.statements.push_back(s.node(tokens, ast::ErrorStmt{}));
    std::vector<Expr*> names;
    for (Index token : names_of_line(s, tokens)) {
        ast::Name name;
        name.id = s.word(token);
        names.push_back(s.node(s.span(token), name));
    }
    if (names.empty())
        return;
    ast::Assign unknown;
    unknown.targets = s.arena.copy(names);
    unknown.value = s.node(tokens, ast::ErrorExpr{});
    s.statements.push_back(s.node(tokens, unknown));
}

Height TreeBuilder::statements() {
    return s.statements.size();
}

// Statements whose place in the program is unknown.
void TreeBuilder::stray_block(Height from, Extent at) {
    ast::ErrorStmt node;
    node.body = s.take(s.statements, from);
    s.statement(s.node(at, node), {s.depth_of(node.body)});
}

Block TreeBuilder::take_block(Height from) {
    std::span<ast::Stmt*> all = s.take(s.statements, from);
    return {all.data(), all.size()};
}

void TreeBuilder::semicolon(Index token) {
    if (s.token(token - 1).kind == Tok::SEMICOLON)
        s.fault(DiagId::SyntaxEmptyStatement, s.span(token));
}

void TreeBuilder::comma(Index token) {
    if (token != no_token && token > 0 && s.token(token - 1).kind == Tok::COMMA)
        s.fault(DiagId::SyntaxExtraComma, s.span(token));
}

} // namespace hidet::lang
