// SPDX-License-Identifier: Apache-2.0
// Inline assembly that says what IR says, too: single PTX instructions on registers and memory.
#pragma once

#include "compiler/ir/func.h"

namespace hidet::compiler::bytecode {

// The module with each such statement replaced; what it has no row for stays assembly.
ir::ModuleRef without_assembly(const ir::ModuleRef& module);

} // namespace hidet::compiler::bytecode
