// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/ir/expr.h"

namespace hidet::compiler {

// The same expression over the same variables: unlike structural_equal(), two variables with one name differ. Calls and
// let expressions are never the same. It does not mean the same value: memory or a variable may have changed between.
bool same_expr(const ir::ExprRef& a, const ir::ExprRef& b);

// Equal for the same expressions. Variables count by identity, so this is for looking up only: no order may depend on it.
std::size_t hash_expr(const ir::ExprRef& expr);

} // namespace hidet::compiler
