// SPDX-License-Identifier: Apache-2.0
// What a node is made of, for whoever looks for something in a tree. Null members are left out.
#pragma once

#include <functional>

#include "lang/ast/ast.h"

namespace hidet::lang::ast {

using OnExpr = std::function<void(const Expr&)>;
using OnStmt = std::function<void(const Stmt&)>;

// Of a tuple or a list, which are the same as targets; null: something else.
const ExprList* written_items(const Expr* node);
// The expressions right below an expression, in the order of the text.
void each_child(const Expr& node, const OnExpr& f);
// The expressions and the statements right below a statement.
void each_child(const Stmt& node, const OnExpr& on_expr, const OnStmt& on_stmt);

} // namespace hidet::lang::ast
