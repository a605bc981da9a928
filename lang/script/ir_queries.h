// SPDX-License-Identifier: Apache-2.0
// Questions about IR that the translator has just built.
#pragma once

#include <functional>

#include "compiler/ir/func.h"

namespace hidet::lang {

bool any_node(const ir::NodeRef& root, const std::function<bool(const ir::Node&)>& holds);
// A call or an intrinsic that does more than compute.
bool has_effect(const ir::ExprRef& expr);
// Depends on memory or on other threads, not only on variables.
bool reads_memory(const ir::ExprRef& expr);
// A way to name memory or a function, no value: nothing can hold it.
bool is_alias(const ir::ExprRef& expr);
bool mentions(const ir::ExprRef& expr, const ir::Var& var);
// Control never goes past the end of the statement.
bool never_falls_through(const ir::StmtRef& stmt);

} // namespace hidet::lang
