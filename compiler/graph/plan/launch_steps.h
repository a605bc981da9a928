// SPDX-License-Identifier: Apache-2.0
// A launch plan whose steps launch kernels themselves, in place of calling host functions that do: who runs it needs the
// images of the kernels, and no code of the host.
#pragma once

#include <vector>

#include "compiler/graph/plan/plan.h"
#include "lang/base/result.h"

namespace hidet::graph {

// `lowered`: by row of the plan's modules, what holds the program's functions (chunk.h) as the emulator takes them
// (compiler::LowerTo::Emulation). The functions of the plan that is returned are the kernels; their symbols and parameters
// are known once they are compiled. Errors: "host-code": a host function does more than launching kernels with extents that
// are expressions of a plan.
Result<artifact::LaunchPlan> with_launches(const Graph& graph, const Plan& plan,
                                           const std::vector<ir::ModuleRef>& lowered);

} // namespace hidet::graph
