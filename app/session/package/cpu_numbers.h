// SPDX-License-Identifier: Apache-2.0
// Functions for the CPU as packages call them: a plan hands on tensors and their extents. So a number that is no extent comes
// as a tensor of one element, and what a function returns goes into one.
#pragma once

#include <string>

#include "app/session/package/function_plan.h"

namespace hidet::session {

// The roles of a function's parameters as it stands.
std::vector<ParameterRole> roles_of(const ir::Function& function);
// Whether it takes or returns numbers that no shape says.
bool has_numbers(const PlannedFunction& function);
// The same function, in a module of its own, with such numbers in memory. It is public, and no function calls it.
PlannedFunction with_numbers_in_memory(const PlannedFunction& function);

} // namespace hidet::session
