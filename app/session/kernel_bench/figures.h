// SPDX-License-Identifier: Apache-2.0
// Registers, shared memory and occupancy of the kernels of a benchmark, from a cubin that is compiled for them.
#pragma once

#include <vector>

#include "app/session/execute/executor.h"
#include "app/session/kernel_bench/parameters.h"

namespace hidet::session {

// Those that were launched, in the order of their first launch; else all of the module. Never fails: a kernel without
// figures says why.
std::vector<KernelView> figures_of(Work& work, const RunRequest& run, const Callable& callable,
                                   const artifact::TargetSpec& target, const std::vector<KernelLaunch>& launches);

} // namespace hidet::session
