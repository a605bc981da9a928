// SPDX-License-Identifier: Apache-2.0
// What marks in kernels cost: the time of a call with them and without, sample by sample in turn; where it launches several
// kernels, of each of them alone too.
#pragma once

#include "app/session/execute/gpu_repeat.h"

namespace hidet::session {

// Leaves the tensors as they were. Without times where there is no memory to measure; an error where a kernel failed.
Result<MarksSource> cost_of_marks(Gpu& gpu, GpuModule& module, const FunctionCall& call,
                                  const artifact::BlockIndex& block);

} // namespace hidet::session
