// SPDX-License-Identifier: Apache-2.0
// The stacks, the tokens and the arena behind TreeBuilder, and what its parts share.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "lang/ast/ast.h"
#include "lang/parse/faults.h"
#include "lang/parse/scanner.h"
#include "lang/parse/token.h"
#include "lang/parse/tree_builder.h"

namespace hidet::lang {

struct Operand {
    Expr* value = nullptr;
    std::uint32_t begin = 0; // parentheses included
    std::uint32_t end = 0;
};
struct Operator {
    int precedence = 0; // 0: the bottom of one expression
    bool is_prefix = false;
    Index token = no_token;
};
enum class ArgumentForm : std::uint8_t { Positional, Star, Keyword, StarStar, Generator };
struct Argument {
    ArgumentForm form{};
    Expr* value = nullptr;
    ast::Ident name;
    Span span;
};
struct Parameter {
    ParameterForm form{};
    ast::Param param;
};
struct Arm { // of a compound statement: its word, condition or source, and block; or a handler
    Index word = no_token;
    Expr* head = nullptr;
    Block body = {};
    bool is_handler = false;
    bool is_group = false;
    ast::Handler handler = {};
};
struct ClauseDraft {
    ast::Clause clause;
    std::size_t conditions = 0; // where they begin on their stack
};
struct Entries { // of a display in braces
    bool pairs = false;
    bool elements = false;
    Span element; // the first one
};
struct StringPiece {
    Index token = no_token;         // a plain literal, or
    ast::FString* format = nullptr; // an f-string
};
struct FormatDraft {
    std::size_t first_part = 0; // where its parts begin on their stack
    bool is_raw = false;
    ast::FStringPart field; // the one being read
};

enum class Catches : std::uint8_t { Some, Name, Anything };
struct Pattern {                        // of a case
    std::vector<ast::Ident> names = {}; // that it binds
    Catches catches = Catches::Some;
    Span span;
    bool is_star = false;
    bool is_key = false;  // a literal or a dotted name: may be a key of a mapping
    bool is_rest = false; // **rest
    bool is_keyword = false;
    std::string_view label = {}; // the text of its key, or its keyword
};

template <class T>
T* make_node(Arena& arena, Span where, T value = {}) {
    value.kind = T::tag;
    value.span = where;
    return arena.make<T>(std::move(value));
}

int depth_below(const Expr& value); // of the deepest of its children

class BuilderState {
public:
    BuilderState(FileId file, std::string_view text, const Tokens& tokens, Arena& arena, Faults& faults)
        : file(file), text(text), tokens(tokens), arena(arena), faults(faults), builder(*this) {}

    FileId file;
    std::string_view text;
    const Tokens& tokens;
    Arena& arena;
    Faults& faults;
    TreeBuilder builder;

    using Frame = std::array<std::size_t, 18>; // the heights of the stacks when a statement began
    std::vector<Frame> frames;
    std::vector<Expr*> exprs;
    std::vector<Operator> operators;
    std::vector<Operand> operands;
    std::vector<Argument> arguments;
    std::vector<Parameter> parameters;
    std::vector<Arm> arms;
    std::vector<ast::WithItem> items;
    std::vector<ast::ImportName> names;
    std::vector<ClauseDraft> clauses;
    std::vector<Expr*> conditions;
    std::vector<std::size_t> clause_marks;
    std::vector<Entries> entries;
    std::vector<StringPiece> pieces;
    std::vector<ast::FStringPart> parts;
    std::vector<FormatDraft> formats;
    std::vector<ast::MatchCase> cases;
    std::vector<Pattern> patterns;
    std::vector<ast::Stmt*> statements;
    std::vector<Pattern> labels; // keys and keywords whose values are being read
    int import_dots = 0;

    // What a statement that fails cuts back.
    auto stacks() {
        return std::tie(exprs, operators, operands, arguments, parameters, arms, items, names, clauses, conditions,
                        clause_marks, entries, pieces, parts, formats, cases, patterns, statements);
    }
    Frame heights() {
        return std::apply([](const auto&... stack) { return Frame{stack.size()...}; }, stacks());
    }
    void cut_back(const Frame& heights);

    // ---- places ----
    Token token(Index i) const { return i < tokens.size() ? tokens[i] : Token{}; }
    std::string_view word(Index i) const {
        Token t = token(i);
        return text.substr(t.begin, t.end - t.begin);
    }
    Span span(Index i) const {
        Token t = token(i);
        return {file, t.begin, t.end};
    }
    // Without the line ends and dedents at its end.
    Span span(Extent at) const;
    ast::Ident ident(Index i) const { return i < tokens.size() ? ast::Ident{word(i), span(i)} : ast::Ident{}; }

    template <class... Args>
    void fault(DiagId id, Span where, const Args&... args) {
        faults.add(Diagnostic::make(id, where, args...));
    }

    // ---- nodes ----
    template <class T>
    T* node(Span where, T value) {
        return make_node(arena, where, std::move(value));
    }
    template <class T>
    T* node(Extent at, T value) {
        return node(span(at), std::move(value));
    }
    Expr* error(Span where) { return node(where, ast::ErrorExpr{}); }
    Expr* or_error(Expr* value) { return value ? value : error({}); }
    // With the depth that its children give it; one that is too deep is reported and becomes an ErrorExpr.
    template <class T>
    Expr* expression(auto at, T value) {
        Expr* made = node(at, std::move(value));
        return with_depth(made, depth_below(*made));
    }
    Expr* with_depth(Expr* value, int below);

    ast::ExprList take(Height from);
    template <class T>
    std::span<T> take(std::vector<T>& stack, Height from) {
        from = std::min(from, stack.size());
        std::vector<T> items(stack.begin() + static_cast<std::ptrdiff_t>(from), stack.end());
        stack.resize(from);
        return arena.copy(items);
    }
    std::span<ast::Param> take_parameters(Height from);
    static ast::Block block(Block b) { return {b.statements, b.count}; }
    template <class T>
    void statement(auto at, T value) {
        push_statement(node(at, std::move(value)));
    }
    void push_statement(ast::Stmt* value);

    // ---- checks that several parts need ----
    void require_no_star(const Expr* value);         // `x = *y`
    void check_target(const Expr* target, bool top); // of an assignment, a loop, a with
    void check_delete(const Expr* target);
    bool is_open(const Expr* value,
                 const char*& what) const; // binds looser than `|`: and, or, not, compare, if, lambda
};

// run_parser.cpp, which alone includes ANTLR: the generated parser over a vector of tokens. Leaves the statements of the file on
// the state's stack. Faults of lines that have none yet are reported.
void run_parser(BuilderState& state);

// The user's words for what an expression is: "a call", "a number", ...
std::string describe(const Expr* value);

} // namespace hidet::lang
