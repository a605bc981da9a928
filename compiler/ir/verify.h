// SPDX-License-Identifier: Apache-2.0
// What must hold of a module, at every level and at its own level. A violation after a pass is our bug.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/func.h"

namespace hidet::ir {

// One sentence for each violation, with the function's name; empty when the module is well formed.
std::vector<std::string> verify(const Module& module);

} // namespace hidet::ir
