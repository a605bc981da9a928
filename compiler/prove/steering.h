// SPDX-License-Identifier: Apache-2.0
// Which variables of a kernel have a say in what it does: in addresses, conditions, counts of loops and operands of instructions.
// The others are only computed and stored, and nothing has to be known of them.
#pragma once

#include <unordered_set>

#include "compiler/ir/func.h"

namespace hidet::compiler::prove {

std::unordered_set<const ir::Var*> steering_variables(const ir::Function& kernel);

} // namespace hidet::compiler::prove
