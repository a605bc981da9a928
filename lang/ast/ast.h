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
const char* kind_name(Kind kind);

struct Node {
    Kind kind{};
    bool parenthesized = false; // (a + b), not (a, b); the span is without the parentheses
    std::uint16_t depth = 1;    // of the tree below, bounded by the parser so that a recursive walk is safe
    Span span;
};
struct Expr : Node {};
struct Stmt : Node {};
using ExprList = std::span<Expr*>;
using Block = std::span<Stmt*>;

// A name with its place: parameters, attributes, imports.
struct Ident {
    std::string_view text;
    Span span;
};

// ---- expressions ------------------------------------------------------------------------------------------------

struct Name : Expr {
    static constexpr Kind tag = Kind::Name;
    std::string_view id;
};

enum class ConstantKind : std::uint8_t { None, True, False, Ellipsis, Int, Float, Imaginary, String, Bytes };
struct Constant : Expr {
    static constexpr Kind tag = Kind::Constant;
    ConstantKind what{};
    bool too_big = false; // Int above 2^63 - 1 (2^63 itself is allowed below a minus: integer is then INT64_MIN)
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
struct FString : Expr {
    static constexpr Kind tag = Kind::FString;
    std::span<FStringPart> parts;
};

struct Tuple : Expr {
    static constexpr Kind tag = Kind::Tuple;
    ExprList items;
};
struct List : Expr {
    static constexpr Kind tag = Kind::List;
    ExprList items;
};
struct Set : Expr {
    static constexpr Kind tag = Kind::Set;
    ExprList items;
};
struct Dict : Expr {
    static constexpr Kind tag = Kind::Dict;
    ExprList keys; // null key: **value
    ExprList values;
};

enum class UnaryOp : std::uint8_t { Plus, Minus, Invert, Not };
struct Unary : Expr {
    static constexpr Kind tag = Kind::Unary;
    UnaryOp op{};
    Expr* operand = nullptr;
};

enum class BinaryOp : std::uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, MatMul, Shl, Shr, BitAnd, BitOr, BitXor };
const char* spelling(BinaryOp op); // "+", "//", ...
struct Binary : Expr {
    static constexpr Kind tag = Kind::Binary;
    BinaryOp op{};
    Expr* left = nullptr;
    Expr* right = nullptr;
};

struct BoolOp : Expr { // n-ary
    static constexpr Kind tag = Kind::BoolOp;
    bool is_and = true;
    ExprList operands;
};

enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, In, NotIn, Is, IsNot };
const char* spelling(CompareOp op);
struct Compare : Expr { // left ops[0] rights[0] ops[1] rights[1] ...
    static constexpr Kind tag = Kind::Compare;
    Expr* left = nullptr;
    std::span<CompareOp> ops;
    ExprList rights;
};

struct Keyword {
    Ident name; // empty text: **value
    Expr* value = nullptr;
    Span span;
};
struct Call : Expr {
    static constexpr Kind tag = Kind::Call;
    Expr* callee = nullptr;
    ExprList args; // may hold Starred
    std::span<Keyword> keywords;
};

struct Attribute : Expr {
    static constexpr Kind tag = Kind::Attribute;
    Expr* object = nullptr;
    Ident name;
};
struct Subscript : Expr {
    static constexpr Kind tag = Kind::Subscript;
    Expr* object = nullptr;
    Expr* index = nullptr; // a Tuple for several, a Slice, or an expression
};
struct Slice : Expr {
    static constexpr Kind tag = Kind::Slice;
    Expr* start = nullptr; // each may be null
    Expr* stop = nullptr;
    Expr* step = nullptr;
};
struct Starred : Expr {
    static constexpr Kind tag = Kind::Starred;
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
struct Lambda : Expr {
    static constexpr Kind tag = Kind::Lambda;
    std::span<Param> params;
    Expr* body = nullptr;
};
struct IfExp : Expr {
    static constexpr Kind tag = Kind::IfExp;
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
struct Comprehension : Expr {
    static constexpr Kind tag = Kind::Comprehension;
    ComprehensionKind what{};
    Expr* element = nullptr; // Dict: the key
    Expr* value = nullptr;   // Dict only
    std::span<Clause> clauses;
};

struct NamedExpr : Expr { // name := value
    static constexpr Kind tag = Kind::NamedExpr;
    Ident name;
    Expr* value = nullptr;
};
struct Await : Expr {
    static constexpr Kind tag = Kind::Await;
    Expr* value = nullptr;
};
struct Yield : Expr {
    static constexpr Kind tag = Kind::Yield;
    bool is_from = false;
    Expr* value = nullptr; // may be null
};
struct ErrorExpr : Expr { // where the parser reported an error
    static constexpr Kind tag = Kind::ErrorExpr;
};

// ---- statements -------------------------------------------------------------------------------------------------

struct ExprStmt : Stmt {
    static constexpr Kind tag = Kind::ExprStmt;
    Expr* value = nullptr;
};
struct Assign : Stmt { // targets[0] = targets[1] = ... = value
    static constexpr Kind tag = Kind::Assign;
    ExprList targets;
    Expr* value = nullptr;
};
struct AugAssign : Stmt {
    static constexpr Kind tag = Kind::AugAssign;
    BinaryOp op{};
    Expr* target = nullptr;
    Expr* value = nullptr;
};
struct AnnAssign : Stmt {
    static constexpr Kind tag = Kind::AnnAssign;
    Expr* target = nullptr;
    Expr* annotation = nullptr;
    Expr* value = nullptr; // may be null
};
struct If : Stmt { // elif: else_body holds one If
    static constexpr Kind tag = Kind::If;
    Expr* condition = nullptr;
    Block body;
    Block else_body;
};
struct For : Stmt {
    static constexpr Kind tag = Kind::For;
    Expr* target = nullptr;
    Expr* iterable = nullptr;
    Block body;
    Block else_body;
    Span else_span; // the word `else`
    bool is_async = false;
};
struct While : Stmt {
    static constexpr Kind tag = Kind::While;
    Expr* condition = nullptr;
    Block body;
    Block else_body;
    Span else_span;
};
struct FunctionDef : Stmt {
    static constexpr Kind tag = Kind::FunctionDef;
    ExprList decorators;
    Ident name;
    std::span<Param> params;
    Expr* returns = nullptr;
    Block body;
    bool is_async = false;
};
struct ClassDef : Stmt {
    static constexpr Kind tag = Kind::ClassDef;
    ExprList decorators;
    Ident name;
    ExprList bases;
    std::span<Keyword> keywords;
    Block body;
};
struct Return : Stmt {
    static constexpr Kind tag = Kind::Return;
    Expr* value = nullptr;
};
struct Break : Stmt {
    static constexpr Kind tag = Kind::Break;
};
struct Continue : Stmt {
    static constexpr Kind tag = Kind::Continue;
};
struct Pass : Stmt {
    static constexpr Kind tag = Kind::Pass;
};
struct Assert : Stmt {
    static constexpr Kind tag = Kind::Assert;
    Expr* condition = nullptr;
    Expr* message = nullptr;
};
struct WithItem {
    Expr* context = nullptr;
    Expr* target = nullptr; // may be null
};
struct With : Stmt {
    static constexpr Kind tag = Kind::With;
    std::span<WithItem> items;
    Block body;
    bool is_async = false;
};
struct Raise : Stmt {
    static constexpr Kind tag = Kind::Raise;
    Expr* value = nullptr;
    Expr* cause = nullptr;
};
struct Handler {
    Expr* type = nullptr;
    Ident name; // may be empty
    Block body;
    Span span;
};
struct Try : Stmt {
    static constexpr Kind tag = Kind::Try;
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
struct Import : Stmt {
    static constexpr Kind tag = Kind::Import;
    std::span<ImportName> names;
};
struct ImportFrom : Stmt {
    static constexpr Kind tag = Kind::ImportFrom;
    int level = 0; // leading dots
    Ident module;  // may be empty when level > 0
    std::span<ImportName> names;
};
struct Global : Stmt {
    static constexpr Kind tag = Kind::Global;
    std::span<Ident> names;
};
struct Nonlocal : Stmt {
    static constexpr Kind tag = Kind::Nonlocal;
    std::span<Ident> names;
};
struct Del : Stmt {
    static constexpr Kind tag = Kind::Del;
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
struct Match : Stmt { // accepted as Python does, refused by the evaluator; patterns are checked and not kept
    static constexpr Kind tag = Kind::Match;
    Expr* subject = nullptr;
    std::span<MatchCase> cases;
};
struct ErrorStmt : Stmt { // where the parser recovered
    static constexpr Kind tag = Kind::ErrorStmt;
    Block body; // what could be read of a block below a line with a mistake
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
