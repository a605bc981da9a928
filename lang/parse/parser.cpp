// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/parser.h"

#include <algorithm>

#include "lang/parse/builder_state.h"
#include "lang/parse/check_scopes.h"
#include "lang/parse/limits.h"
#include "lang/parse/logical_lines.h"
#include "lang/parse/scanner.h"

namespace hidet::lang {

namespace {

// ---- statements with a mistake ----
//
// Those that the parser could step over (an assignment to a number, `return` at module level) are whole in the tree. Later
// stages would run them and report the same mistake again, or one that follows from it.

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
        return std::ranges::any_of(statements, [&](const ast::Stmt* s) { return holds(s->span); });
    }

    ast::Expr* error(Span span) { return make_node<ast::ErrorExpr>(m_arena, span); }
    ast::Stmt* error_statement(Span span) { return make_node<ast::ErrorStmt>(m_arena, span); }
    void blank(ast::Expr*& expr) {
        if (holds(expr))
            expr = error(expr->span);
    }
    // `name = <error>`, so that uses of the name stay silent, too.
    ast::Stmt* unknown(const ast::Ident& ident, Span span) {
        const std::vector<ast::Expr*> name{make_node(m_arena, ident.span, ast::Name{{}, ident.text})};
        return make_node(m_arena, span, ast::Assign{{}, m_arena.copy(name), error(span)});
    }
    static bool bind_names_only(ast::ExprList targets) {
        return std::ranges::all_of(targets, [](const ast::Expr* target) {
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
               std::ranges::any_of(def.params, [&](const ast::Param& p) { return holds(p.span); });
    }

    Span m_fault;
    Arena& m_arena;
};

// Replaces what a fault lies in by ErrorExpr and ErrorStmt nodes, as narrowly as keeps the names it binds.
void silence_faulty(ast::Block block, const Faults& faults, Arena& arena) {
    for (const Diagnostic& fault : faults.all())
        if (fault.severity == Severity::Error)
            Silencer(fault.span, arena).block(block);
}

// ---- the file ----

// Whether the bytes are text that we read at all.
bool is_readable(std::string_view text, Faults& faults) {
    if (text.size() > max_script_bytes) {
        faults.add(DiagId::SyntaxFileTooBig, 0, 0, text.size(), max_script_bytes);
        return false;
    }
    if (std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        faults.add(DiagId::SyntaxNul, nul, nul + 1);
        return false;
    }
    if (std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
        const char* digits = "0123456789abcdef";
        auto byte = static_cast<unsigned char>(text[bad]);
        faults.add(DiagId::SyntaxNotUtf8, bad, bad + 1, cat("0x", digits[byte >> 4], digits[byte & 15]));
        return false;
    }
    return true;
}

void read(std::string_view text, ast::Module& module, Faults& faults) {
    Scanned scanned;
    scanned.tokens.reserve(text.size() / 3 + 16);
    scan(text, {0, static_cast<std::uint32_t>(text.size())}, scanned, faults);
    std::vector<ast::Comment> comments;
    for (Stretch c : scanned.comments)
        comments.push_back({text.substr(c.begin, c.end - c.begin), faults.span(c.begin, c.end)});
    module.comments = module.arena->copy(comments);
    Tokens tokens = read_logical_lines(text, scanned, faults);
    if (faults.full())
        return;
    BuilderState state(module.file, text, tokens, *module.arena, faults);
    run_parser(state);
    module.body = state.take(state.statements, 0);
    bool declares =
        std::ranges::any_of(tokens, [](const Token& t) { return t.kind == Tok::GLOBAL || t.kind == Tok::NONLOCAL; });
    check_scopes(module.body, declares ? NameTracking::On : NameTracking::Off, faults);
    silence_faulty(module.body, faults, *module.arena);
}

} // namespace

ast::Module parse(const SourceMap& sources, FileId file, DiagnosticSink& sink) {
    ast::Module module;
    module.file = file;
    module.arena = std::make_shared<Arena>();
    std::string_view text = sources.file(file).text();
    Faults faults(file);
    if (is_readable(text, faults))
        read(text, module, faults);
    std::ranges::stable_sort(faults.all(),
                             [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
    module.had_errors = !faults.empty();
    for (Diagnostic& fault : faults.all())
        sink.report(std::move(fault));
    return module;
}

} // namespace hidet::lang
