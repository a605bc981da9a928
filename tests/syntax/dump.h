// SPDX-License-Identifier: Apache-2.0
// The tree as text in the form of Python's `ast.dump`, so that tests can compare both. Patterns of match statements are
// left out, because the tree does not keep them.
#pragma once

#include <string>

#include "lang/ast/ast.h"

namespace hidet::lang::ast {

std::string dump(const Module& module);
std::string dump(const Expr& value);

} // namespace hidet::lang::ast
