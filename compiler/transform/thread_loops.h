// SPDX-License-Identifier: Apache-2.0
// The regions of a kernel as loops: over the blocks of the grid, in parallel, over the threads of a block and the lanes of a
// warp around each region.
#pragma once

#include <array>

#include "compiler/transform/regions.h"

namespace hidet::compiler {

// What a launch says, as expressions of the function that the kernel becomes: constants, or parameters.
struct LaunchShape {
    std::array<ir::ExprRef, 3> grid, block;
    ir::ExprRef dynamic_bytes; // of shared memory
};

ir::StmtRef thread_loops(const Plan& plan, const LaunchShape& shape, const Uses& uses, PassId pass);

} // namespace hidet::compiler
