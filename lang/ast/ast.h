// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a script: Python's statements and expressions as plain structs in an arena.
//
// The parser accepts more than scripts may use (async, yield, match, ...) so that the evaluator can refuse with a message
// of ours. Every node has the span of its text; a statement's span includes its body. Names and string values are UTF-8.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "lang/base/arena.h"
#include "lang/base/source.h"

namespace hidet::lang::ast {

enum class Kind : std::uint8_t {
#define AST_EXPR(name) name,
#define AST_STMT(name) name,
#include "lang/ast/ast.def"
};

struct Node {
    Kind kind{};
    bool parenthesized = false; // (a + b), not (a, b); the span is without the parentheses
    std::uint16_t depth = 1;    // of the tree below, bounded by the parser so that a recursive walk is safe
    Span span;
};
struct Expr : Node {};
struct Stmt : Node {};
template <Kind kind_of_all, class Family>
struct NodeOf : Family { // what the struct of each kind derives from
    static constexpr Kind tag = kind_of_all;
};
using ExprList = std::span<Expr*>;
using Block = std::span<Stmt*>;

// A name with its place: parameters, attributes, imports.
struct Ident {
    std::string_view text;
    Span span;
};

// ---- expressions ------------------------------------------------------------------------------------------------

struct Name : NodeOf<Kind::Name, Expr> {
    std::string_view id;
};

enum class ConstantKind : std::uint8_t { None, True, False, Ellipsis, Int, Float, Imaginary, String, Bytes };
struct Constant : NodeOf<Kind::Constant, Expr> {
    ConstantKind what{};
    bool too_big = false; // Int above 2^63 - 1; `integer` has the bits of one that fits into 64 without a sign, else 0
    std::int64_t integer = 0;
    double real = 0;       // Float, Imaginary
    std::string_view text; // String, Bytes: the value with escapes resolved and adjacent literals joined
};

// f"...{value!r:spec}...": value null means literal text.
struct FStringPart {
    std::string_view literal;
    Expr* value = nullptr;
    char conversion = 0;            // 0 'r' 's' 'a'
    std::string_view debug_text;    // f"{x=}": the text "x="
    struct FString* spec = nullptr; // format spec, itself with parts
};
struct FString : NodeOf<Kind::FString, Expr> {
    std::span<FStringPart> parts;
};

struct Tuple : NodeOf<Kind::Tuple, Expr> {
    ExprList items;
};
struct List : NodeOf<Kind::List, Expr> {
    ExprList items;
};
struct Set : NodeOf<Kind::Set, Expr> {
    ExprList items;
};
struct Dict : NodeOf<Kind::Dict, Expr> {
    ExprList keys; // null key: **value
    ExprList values;
};

enum class UnaryOp : std::uint8_t { Plus, Minus, Invert, Not };
struct Unary : NodeOf<Kind::Unary, Expr> {
    UnaryOp op{};
    Expr* operand = nullptr;
};

enum class BinaryOp : std::uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, MatMul, Shl, Shr, BitAnd, BitOr, BitXor };
const char* spelling(BinaryOp op); // "+", "//", ...
struct Binary : NodeOf<Kind::Binary, Expr> {
    BinaryOp op{};
    Expr* left = nullptr;
    Expr* right = nullptr;
};

struct BoolOp : NodeOf<Kind::BoolOp, Expr> { // n-ary
    bool is_and = true;
    ExprList operands;
};

enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, In, NotIn, Is, IsNot };
const char* spelling(CompareOp op);
struct Compare : NodeOf<Kind::Compare, Expr> { // left ops[0] rights[0] ops[1] rights[1] ...
    Expr* left = nullptr;
    std::span<CompareOp> ops;
    ExprList rights;
};

struct Keyword {
    Ident name; // empty text: **value
    Expr* value = nullptr;
    Span span;
};
struct Call : NodeOf<Kind::Call, Expr> {
    Expr* callee = nullptr;
    ExprList args; // may hold Starred
    std::span<Keyword> keywords;
};

struct Attribute : NodeOf<Kind::Attribute, Expr> {
    Expr* object = nullptr;
    Ident name;
};
struct Subscript : NodeOf<Kind::Subscript, Expr> {
    Expr* object = nullptr;
    Expr* index = nullptr; // a Tuple for several, a Slice, or an expression
};
struct Slice : NodeOf<Kind::Slice, Expr> {
    Expr* start = nullptr; // each may be null
    Expr* stop = nullptr;
    Expr* step = nullptr;
};
struct Starred : NodeOf<Kind::Starred, Expr> {
    Expr* value = nullptr;
};

enum class ParamKind : std::uint8_t { PositionalOnly, Normal, VarArgs, KeywordOnly, VarKeywords };
struct Param {
    ParamKind what = ParamKind::Normal;
    Ident name;
    Expr* annotation = nullptr;
    Expr* default_value = nullptr;
    Span span;
};
struct Lambda : NodeOf<Kind::Lambda, Expr> {
    std::span<Param> params;
    Expr* body = nullptr;
};
struct IfExp : NodeOf<Kind::IfExp, Expr> {
    Expr* condition = nullptr;
    Expr* then_value = nullptr;
    Expr* else_value = nullptr;
};

struct Clause { // for target in iterable if condition if ...
    Expr* target = nullptr;
    Expr* iterable = nullptr;
    ExprList conditions;
    bool is_async = false;
};
enum class ComprehensionKind : std::uint8_t { List, Set, Dict, Generator };
struct Comprehension : NodeOf<Kind::Comprehension, Expr> {
    ComprehensionKind what{};
    Expr* element = nullptr; // Dict: the key
    Expr* value = nullptr;   // Dict only
    std::span<Clause> clauses;
};

struct NamedExpr : NodeOf<Kind::NamedExpr, Expr> { // name := value
    Ident name;
    Expr* value = nullptr;
};
struct Await : NodeOf<Kind::Await, Expr> {
    Expr* value = nullptr;
};
struct Yield : NodeOf<Kind::Yield, Expr> {
    bool is_from = false;
    Expr* value = nullptr; // may be null
};
struct ErrorExpr : NodeOf<Kind::ErrorExpr, Expr> { // where the parser reported an error
};

// ---- statements -------------------------------------------------------------------------------------------------

struct ExprStmt : NodeOf<Kind::ExprStmt, Stmt> {
    Expr* value = nullptr;
};
struct Assign : NodeOf<Kind::Assign, Stmt> { // targets[0] = targets[1] = ... = value
    ExprList targets;
    Expr* value = nullptr;
};
struct AugAssign : NodeOf<Kind::AugAssign, Stmt> {
    BinaryOp op{};
    Expr* target = nullptr;
    Expr* value = nullptr;
};
struct AnnAssign : NodeOf<Kind::AnnAssign, Stmt> {
    Expr* target = nullptr;
    Expr* annotation = nullptr;
    Expr* value = nullptr; // may be null
};
struct If : NodeOf<Kind::If, Stmt> { // elif: else_body holds one If
    Expr* condition = nullptr;
    Block body;
    Block else_body;
};
struct For : NodeOf<Kind::For, Stmt> {
    Expr* target = nullptr;
    Expr* iterable = nullptr;
    Block body;
    Block else_body;
    Span else_span; // the word `else`
    bool is_async = false;
};
struct While : NodeOf<Kind::While, Stmt> {
    Expr* condition = nullptr;
    Block body;
    Block else_body;
    Span else_span;
};
struct FunctionDef : NodeOf<Kind::FunctionDef, Stmt> {
    ExprList decorators;
    Ident name;
    std::span<Param> params;
    Expr* returns = nullptr;
    Block body;
    bool is_async = false;
};
struct ClassDef : NodeOf<Kind::ClassDef, Stmt> {
    ExprList decorators;
    Ident name;
    ExprList bases;
    std::span<Keyword> keywords;
    Block body;
};
struct Return : NodeOf<Kind::Return, Stmt> {
    Expr* value = nullptr;
};
struct Break : NodeOf<Kind::Break, Stmt> {};
struct Continue : NodeOf<Kind::Continue, Stmt> {};
struct Pass : NodeOf<Kind::Pass, Stmt> {};
struct Assert : NodeOf<Kind::Assert, Stmt> {
    Expr* condition = nullptr;
    Expr* message = nullptr;
};
struct WithItem {
    Expr* context = nullptr;
    Expr* target = nullptr; // may be null
};
struct With : NodeOf<Kind::With, Stmt> {
    std::span<WithItem> items;
    Block body;
    bool is_async = false;
};
struct Raise : NodeOf<Kind::Raise, Stmt> {
    Expr* value = nullptr;
    Expr* cause = nullptr;
};
struct Handler {
    Expr* type = nullptr;
    Ident name; // may be empty
    Block body;
    Span span;
};
struct Try : NodeOf<Kind::Try, Stmt> {
    Block body;
    std::span<Handler> handlers;
    Block else_body;
    Block finally_body;
    bool is_group = false; // except*
};
struct ImportName {
    Ident name; // dotted for Import; "*" for from-imports of everything
    Ident as;   // may be empty
};
struct Import : NodeOf<Kind::Import, Stmt> {
    std::span<ImportName> names;
};
struct ImportFrom : NodeOf<Kind::ImportFrom, Stmt> {
    int level = 0; // leading dots
    Ident module;  // may be empty when level > 0
    std::span<ImportName> names;
};
struct Global : NodeOf<Kind::Global, Stmt> {
    std::span<Ident> names;
};
struct Nonlocal : NodeOf<Kind::Nonlocal, Stmt> {
    std::span<Ident> names;
};
struct Del : NodeOf<Kind::Del, Stmt> {
    ExprList targets;
};
struct MatchCase {
    std::span<Ident> names; // that the pattern binds
    Expr* guard = nullptr;
    Block body;
    Span span;
    Span pattern_span;
    bool catches_all = false; // matches everything, without a guard
};
// Accepted as Python does, refused by the evaluator; patterns are checked and not kept.
struct Match : NodeOf<Kind::Match, Stmt> {
    Expr* subject = nullptr;
    std::span<MatchCase> cases;
};
struct ErrorStmt : NodeOf<Kind::ErrorStmt, Stmt> { // where the parser recovered
    Block body;                                    // what could be read of a block below a line with a mistake
};

// The tree of one file. Owns its nodes; comments are kept for `# studio:` lines.
struct Comment {
    std::string_view text; // from '#' on
    Span span;
};
struct Module {
    FileId file = 0;
    Block body;
    std::span<Comment> comments;
    std::size_t asked_calls =
        0; // of the last comments: '# studio:' calls that are made, whatever the script calls itself
    bool had_errors = false;
    std::shared_ptr<Arena> arena;
};

template <class T>
const T* as(const Node* node) {
    return node && node->kind == T::tag ? static_cast<const T*>(node) : nullptr;
}
template <class T>
const T& to(const Node& node) {
    return static_cast<const T&>(node);
}

// Calls visitor(const T&) for the node's own type.
template <class V>
decltype(auto) visit(const Expr& node, V&& visitor) {
    switch (node.kind) {
// clang-format off
#define AST_EXPR(name) \
    case Kind::name: return visitor(to<name>(node));
// clang-format on
#include "lang/ast/ast.def"
    default: break;
    }
    return visitor(to<ErrorExpr>(node));
}
template <class V>
decltype(auto) visit(const Stmt& node, V&& visitor) {
    switch (node.kind) {
// clang-format off
#define AST_STMT(name) \
    case Kind::name: return visitor(to<name>(node));
// clang-format on
#include "lang/ast/ast.def"
    default: break;
    }
    return visitor(to<ErrorStmt>(node));
}

} // namespace hidet::lang::ast
