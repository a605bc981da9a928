// SPDX-License-Identifier: Apache-2.0
// The part of bench that the clock of the host cannot measure.
#pragma once

#include "app/session/baselines/baseline.h"
#include "app/session/bench/bench.h"
#include "app/session/execute/gpu_repeat.h"
#include "runtime/cuda/timing.h"

namespace hidet::session {

TimesView view_of(const cuda::Distribution& times);

// Fills the row's times, peaks and notes; the baseline, if there is one, takes turns with the call.
Result<void> measure_on_gpu(GpuRepeat& mine, Baseline* baseline, BenchRow& row);

} // namespace hidet::session
