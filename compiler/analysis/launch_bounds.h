// SPDX-License-Identifier: Apache-2.0
// What is known of the thread and block indices inside a function: its own launch dimensions for a kernel, those of all
// the kernels that reach it for a device function.
#pragma once

#include <map>
#include <string>

#include "compiler/analysis/ranges.h"
#include "compiler/ir/func.h"

namespace hidet::compiler {

// Along x, y and z.
inline constexpr ir::Builtin thread_builtins[] = {ir::Builtin::ThreadIdxX, ir::Builtin::ThreadIdxY,
                                                  ir::Builtin::ThreadIdxZ};
inline constexpr ir::Builtin block_builtins[] = {ir::Builtin::BlockIdxX, ir::Builtin::BlockIdxY,
                                                 ir::Builtin::BlockIdxZ};
inline constexpr ir::Builtin block_dim_builtins[] = {ir::Builtin::BlockDimX, ir::Builtin::BlockDimY,
                                                     ir::Builtin::BlockDimZ};
inline constexpr ir::Builtin grid_dim_builtins[] = {ir::Builtin::GridDimX, ir::Builtin::GridDimY,
                                                    ir::Builtin::GridDimZ};

struct LaunchBounds {
    std::optional<Range> block[3]; // the extents; nothing where a kernel computes them
    std::optional<Range> grid[3];
};

using BoundsByName = std::map<std::string, LaunchBounds>; // of the functions

BoundsByName launch_bounds(const ir::Module& module);
const LaunchBounds* find_bounds(const BoundsByName& bounds, const ir::Function& function); // null: nothing is known

// Tells `ranges` what the bounds mean for threadIdx, blockIdx, blockDim and gridDim.
void bind(Ranges& ranges, const LaunchBounds& bounds);

} // namespace hidet::compiler
