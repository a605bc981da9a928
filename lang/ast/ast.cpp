// SPDX-License-Identifier: Apache-2.0
#include "lang/ast/ast.h"

namespace hidet::lang::ast {

const char* kind_name(Kind kind) {
    switch (kind) {
// clang-format off
#define AST_EXPR(name) \
    case Kind::name: return #name;
#define AST_STMT(name) \
    case Kind::name: return #name;
// clang-format on
#include "lang/ast/ast.def"
    }
    return "?";
}

const char* spelling(BinaryOp op) {
    static const char* const words[] = {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"};
    return words[static_cast<int>(op)];
}

const char* spelling(CompareOp op) {
    static const char* const words[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"};
    return words[static_cast<int>(op)];
}

} // namespace hidet::lang::ast
