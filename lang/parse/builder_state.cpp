// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/builder_state.h"

#include <algorithm>

#include "lang/ast/walk.h"
#include "lang/base/transformed.h"

namespace hidet::lang {

namespace {

// ---- the names that a line binds although it cannot be read: `from m import a, b,`, `x =`, `for i on n:` ----
//
// Uses of them are no mistakes of their own.

class Line {
public:
    Line(const BuilderState& state, Extent tokens) : m_state(state), m_at(tokens.first), m_end(tokens.last + 1) {}

    // Of the statement that begins with the first of the tokens; each is the index of a name.
    std::vector<Index> run() {
        if (now() == Tok::AT)
            skip_decorators();
        do
            statement();
        while (skip_to(Tok::SEMICOLON), take(Tok::SEMICOLON));
        return std::move(m_names);
    }

private:
    void statement() {
        switch (now()) {
        case Tok::IMPORT: ++m_at, imported(); break;
        case Tok::FROM:
            if (skip_to(Tok::IMPORT), take(Tok::IMPORT))
                take(Tok::LPAREN), imported();
            break;
        case Tok::DEF:
        case Tok::CLASS: ++m_at, name(); break;
        case Tok::FOR: ++m_at, list(); break;
        case Tok::WITH:
            for (skip_to(Tok::AS); now() == Tok::AS; skip_to(Tok::AS))
                ++m_at, name();
            break;
        case Tok::NAME: assigned(); break;
        default: break;
        }
    }
    Tok now() const { return m_at < m_end ? m_state.token(m_at).kind : Tok::NEWLINE; }
    bool take(Tok kind) {
        if (now() != kind)
            return false;
        ++m_at;
        return true;
    }
    void skip_to(Tok kind) {
        while (now() != Tok::NEWLINE && now() != kind)
            ++m_at;
    }
    void skip_decorators() {
        while (m_at < m_end && now() == Tok::AT) {
            skip_to(Tok::NEWLINE);
            ++m_at;
        }
    }
    bool name() {
        if (now() != Tok::NAME)
            return false;
        m_names.push_back(m_at++);
        return true;
    }
    bool item() {
        if (take(Tok::LPAREN))
            return list() && take(Tok::RPAREN);
        if (take(Tok::LBRACK))
            return list() && take(Tok::RBRACK);
        take(Tok::STAR);
        return name();
    }
    bool list() {
        if (!item())
            return false;
        while (take(Tok::COMMA) && item()) {
        }
        return true;
    }
    // a.b as c, d: the first part of a dotted name is what it binds
    void imported() {
        do {
            if (!name())
                return;
            while (take(Tok::DOT))
                take(Tok::NAME);
            if (take(Tok::AS) && now() == Tok::NAME)
                m_names.back() = m_at++;
        } while (take(Tok::COMMA));
    }
    // a, b = c = ...; a: type = ...
    void assigned() {
        std::size_t sure = m_names.size();
        for (bool more = true; more && list();) {
            if (now() == Tok::EQUAL || now() == Tok::COLON)
                sure = m_names.size();
            more = take(Tok::EQUAL);
        }
        m_names.resize(sure);
    }

    const BuilderState& m_state;
    Index m_at;
    Index m_end;
    std::vector<Index> m_names;
};

// ---- stacks ----

constexpr int max_expression_depth = 700;
constexpr int max_statement_depth = 1000;

template <class T>
void shrink(std::vector<T>& stack, std::size_t height) {
    if (stack.size() > height)
        stack.resize(height);
}
} // namespace

void BuilderState::cut_back(const Frame& heights) {
    auto height = heights.begin();
    std::apply([&](auto&... stack) { (shrink(stack, *height++), ...); }, stacks());
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

int depth_below(const Expr& value) {
    int below = 0;
    ast::each_child(value, [&](const Expr& child) { below = std::max<int>(below, child.depth); });
    return below;
}

Expr* BuilderState::with_depth(Expr* value, int below) {
    if (below + 1 > max_expression_depth) {
        if (!faults.any_in(DiagId::SyntaxTooDeep, value->span)) // a part that is too deep makes the whole so
            fault(DiagId::SyntaxTooDeep, value->span, "expression");
        return error(value->span);
    }
    value->depth = static_cast<std::uint16_t>(below + 1);
    return value;
}

ast::ExprList BuilderState::take(Height from) {
    return take(exprs, from);
}

void BuilderState::push_statement(ast::Stmt* value) {
    int below = 0;
    const auto look = [&](const ast::Node& child) { below = std::max<int>(below, child.depth); };
    ast::each_child(*value, look, look);
    if (below + 1 > max_statement_depth) {
        fault(DiagId::SyntaxTooDeep, {file, value->span.begin, value->span.begin + 1}, "statement");
        statements.push_back(node(value->span, ast::ErrorStmt{}));
        return;
    }
    value->depth = static_cast<std::uint16_t>(below + 1);
    statements.push_back(value);
}

void StatementBuilder::begin_statement() {
    s.frames.push_back(s.heights());
}

void StatementBuilder::end_statement() {
    if (!s.frames.empty())
        s.frames.pop_back();
}

void StatementBuilder::statement_failed(Extent tokens) {
    if (!s.frames.empty()) {
        s.cut_back(s.frames.back());
        s.frames.pop_back();
    }
    s.statements.push_back(s.node(tokens, ast::ErrorStmt{}));
    std::vector<Expr*> names =
        transformed(Line(s, tokens).run(), [&](Index token) { return s.builder.expression.name(token); });
    if (!names.empty())
        s.statements.push_back(
            s.node(tokens, ast::Assign{{}, s.arena.copy(names), s.builder.expression.error(tokens)}));
}

Height StatementBuilder::statements() {
    return s.statements.size();
}

// Statements whose place in the program is unknown.
void StatementBuilder::stray_block(Height from, Extent at) {
    s.statement(at, ast::ErrorStmt{{}, s.take(s.statements, from)});
}

Block StatementBuilder::take_block(Height from) {
    std::span<ast::Stmt*> all = s.take(s.statements, from);
    return {all.data(), all.size()};
}

void StatementBuilder::semicolon(Index token) {
    if (s.token(token - 1).kind == Tok::SEMICOLON)
        s.fault(DiagId::SyntaxEmptyStatement, s.span(token));
}

void ExpressionBuilder::comma(Index token) {
    if (token != no_token && token > 0 && s.token(token - 1).kind == Tok::COMMA)
        s.fault(DiagId::SyntaxExtraComma, s.span(token));
}

} // namespace hidet::lang
