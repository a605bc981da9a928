// SPDX-License-Identifier: Apache-2.0
// What is known of the thread and block indices inside a function: its own launch dimensions for a kernel, those of all
// the kernels that reach it for a device function.
#pragma once

#include <map>
#include <string>

#include "compiler/analysis/ranges.h"
#include "compiler/ir/func.h"

namespace hidet::compiler {

struct LaunchBounds {
    std::optional<Range> block[3]; // the extents; nothing where a kernel computes them
    std::optional<Range> grid[3];
};

std::map<std::string, LaunchBounds> launch_bounds(const ir::Module& module);

// Tells `ranges` what the bounds mean for threadIdx, blockIdx, blockDim and gridDim.
void bind(Ranges& ranges, const LaunchBounds& bounds);

} // namespace hidet::compiler
