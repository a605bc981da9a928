// SPDX-License-Identifier: Apache-2.0
// Several programs as one module: compilers are started once for many kernels.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/plan/plan.h"

namespace hidet::graph {

// In the merged module the function `name` of program 7 is called `name_7`.
std::string merged_name(const std::string& name, std::size_t program);

ir::ModuleRef merged(const std::vector<PlannedProgram>& programs, std::size_t first, std::size_t end);

} // namespace hidet::graph
