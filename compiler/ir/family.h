// SPDX-License-Identifier: Apache-2.0
// The families of nodes apart, for switches: one over kind_of(expr) without a default names every expression, so a new node
// does not compile until each of them knows it.
#pragma once

#include "compiler/ir/node.h"
#include "lang/base/check.h"

namespace hidet::ir {

enum class TypeKind : std::uint8_t {
#define HIDET_TYPE(name) name = static_cast<std::uint8_t>(Kind::name),
#include "compiler/ir/nodes.def"
};
enum class LayoutKind : std::uint8_t {
#define HIDET_LAYOUT(name) name = static_cast<std::uint8_t>(Kind::name),
#include "compiler/ir/nodes.def"
};
enum class MappingKind : std::uint8_t {
#define HIDET_MAPPING(name) name = static_cast<std::uint8_t>(Kind::name),
#include "compiler/ir/nodes.def"
};
enum class ExprKind : std::uint8_t {
#define HIDET_EXPR(name) name = static_cast<std::uint8_t>(Kind::name),
#include "compiler/ir/nodes.def"
};
enum class StmtKind : std::uint8_t {
#define HIDET_STMT(name) name = static_cast<std::uint8_t>(Kind::name),
#include "compiler/ir/nodes.def"
};

enum class Family : std::uint8_t { Type, Layout, Mapping, Expr, Stmt, Top };
constexpr Family family_of(Kind kind) {
    switch (kind) {
// clang-format off
#define HIDET_TYPE(name) case Kind::name: return Family::Type;
#define HIDET_LAYOUT(name) case Kind::name: return Family::Layout;
#define HIDET_MAPPING(name) case Kind::name: return Family::Mapping;
#define HIDET_EXPR(name) case Kind::name: return Family::Expr;
#define HIDET_STMT(name) case Kind::name: return Family::Stmt;
#define HIDET_TOP(name) case Kind::name: return Family::Top;
// clang-format on
#include "compiler/ir/nodes.def"
    }
    return Family::Top;
}
constexpr Family family_of(const Node& node) {
    return family_of(node.kind);
}
inline bool is_expr(const Node& node) {
    return family_of(node) == Family::Expr;
}
inline bool is_stmt(const Node& node) {
    return family_of(node) == Family::Stmt;
}
// Types, layouts and mappings hold nothing that runs.
inline bool runs(const Node& node) {
    return family_of(node) >= Family::Expr;
}

inline TypeKind kind_of(const Type& type) {
    return static_cast<TypeKind>(type.kind);
}
inline LayoutKind kind_of(const Layout& layout) {
    return static_cast<LayoutKind>(layout.kind);
}
inline MappingKind kind_of(const Mapping& mapping) {
    return static_cast<MappingKind>(mapping.kind);
}
inline ExprKind kind_of(const Expr& expr) {
    return static_cast<ExprKind>(expr.kind);
}
inline StmtKind kind_of(const Stmt& stmt) {
    return static_cast<StmtKind>(stmt.kind);
}

// Kinds that many switches treat alike, as labels: `case HIDET_LOOP_STMTS:`. A new kind is in none of them, so each switch
// still waits for a decision on it; who treats one of a group apart names its kinds.
// clang-format off
#define HIDET_LEAF_EXPRS /* have no operands; variables apart, which have a place */ \
    hidet::ir::ExprKind::SymbolVar: case hidet::ir::ExprKind::BuiltinVar: case hidet::ir::ExprKind::Constant
#define HIDET_OPERATOR_EXPRS /* a value of the values of their operands */ \
    hidet::ir::ExprKind::Unary: case hidet::ir::ExprKind::Binary: case hidet::ir::ExprKind::Cast: \
    case hidet::ir::ExprKind::Select
#define HIDET_MEMORY_EXPRS /* a value in memory, and a place to write to */ \
    hidet::ir::ExprKind::TensorElement: case hidet::ir::ExprKind::Deref
#define HIDET_SHORTHAND_EXPRS /* passes write them out, and they do nothing that their parts do not */ \
    hidet::ir::ExprKind::TensorSlice: case hidet::ir::ExprKind::Let
#define HIDET_CALL_EXPRS \
    hidet::ir::ExprKind::Call: case hidet::ir::ExprKind::Intrinsic
#define HIDET_LOOP_STMTS \
    hidet::ir::StmtKind::ForStmt: case hidet::ir::StmtKind::ForMappingStmt: case hidet::ir::StmtKind::WhileStmt
#define HIDET_EXIT_STMTS /* what follows them does not run */ \
    hidet::ir::StmtKind::ReturnStmt: case hidet::ir::StmtKind::BreakStmt: case hidet::ir::StmtKind::ContinueStmt
#define HIDET_PLAIN_STMTS /* hold no statements, and the next one runs after them */ \
    hidet::ir::StmtKind::EvaluateStmt: case hidet::ir::StmtKind::DeclareStmt: case hidet::ir::StmtKind::StoreStmt: \
    case hidet::ir::StmtKind::AssignStmt: case hidet::ir::StmtKind::AssertStmt: case hidet::ir::StmtKind::AsmStmt: \
    case hidet::ir::StmtKind::CommentStmt: case hidet::ir::StmtKind::LaunchStmt
// clang-format on

// What follows such a switch in a function that returns something.
[[noreturn]] inline void no_such_kind(const Node& node) {
    internal_failure(__FILE__, __LINE__, "node of no kind", kind_name(node.kind));
}

} // namespace hidet::ir
