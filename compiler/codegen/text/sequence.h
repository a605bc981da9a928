// SPDX-License-Identifier: Apache-2.0
// C++ leaves open in which order the operands of an operator or the arguments of a call are evaluated; the IR evaluates them
// from left to right. Where that can be told apart, the parts become statements of their own.
#pragma once

#include "compiler/ir/func.h"

namespace hidet::compiler::text {

// The same function where the order cannot matter, which is nearly always.
ir::FunctionRef in_sequence(const ir::FunctionRef& function, const ir::ModuleRef& module);

} // namespace hidet::compiler::text
