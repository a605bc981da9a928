// SPDX-License-Identifier: Apache-2.0
// Statements that schedules and fusion made come from what they compute.
#pragma once

#include "compiler/ir/func.h"

namespace hidet::session {

// Of all functions of a module that a group of operators was lowered to.
void give_origins_to_statements(const hidet::ir::Module& module);

} // namespace hidet::session
