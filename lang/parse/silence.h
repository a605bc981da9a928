// SPDX-License-Identifier: Apache-2.0
// Statements with a mistake that the parser could step over (an assignment to a number, `return` at module level) are whole
// in the tree. Later stages would run them and report the same mistake again, or one that follows from it.
#pragma once

#include "lang/ast/ast.h"
#include "lang/parse/faults.h"

namespace hidet::lang {

// Replaces what a fault lies in by ErrorExpr and ErrorStmt nodes, as narrowly as keeps the names it binds.
void silence_faulty(ast::Block block, const Faults& faults, Arena& arena);

} // namespace hidet::lang
