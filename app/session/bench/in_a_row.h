// SPDX-License-Identifier: Apache-2.0
// A call as a model makes it: launches that follow each other, each with weights that are not in the cache. What is measured
// call by call is the latency of one; kernels that are launched before their predecessors have ended show their gain only
// here.
#pragma once

#include "app/session/baselines/baseline.h"
#include "app/session/bench/bench.h"
#include "app/session/execute/gpu_repeat.h"

namespace hidet::session {

// Fills the row's `in_a_row`; the baseline, if there is one, does as many on the same copies, replay by replay in turns.
Result<void> measure_in_a_row(GpuRepeat& mine, Baseline* baseline, int launches, BenchRow& row);

} // namespace hidet::session
