// SPDX-License-Identifier: Apache-2.0
// Questions about the syntax of a function that the translator asks before it translates.
#pragma once

#include <map>
#include <string_view>

#include "lang/ast/ast.h"

namespace hidet::lang {

using NameCounts = std::map<std::string_view, int>;

// How often each name is bound in the statements, nested blocks included; being a loop target counts twice, and so does
// an augmented assignment, because neither leaves the name with one value.
NameCounts assigned_names(ast::Block block);
void count_target(const ast::Expr& target, int times, NameCounts& out);

// Whether a break (or continue) of the loop that has this body occurs in it.
// Whether evaluating the expression may call something.
bool may_call(const ast::Expr& expr);
bool has_break(ast::Block body);
bool has_continue(ast::Block body);

} // namespace hidet::lang
