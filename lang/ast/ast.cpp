// SPDX-License-Identifier: Apache-2.0
#include "lang/ast/ast.h"

namespace hidet::lang::ast {

const char* spelling(BinaryOp op) {
    static const char* const words[] = {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"};
    return words[static_cast<int>(op)];
}

const char* spelling(CompareOp op) {
    static const char* const words[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"};
    return words[static_cast<int>(op)];
}

} // namespace hidet::lang::ast
