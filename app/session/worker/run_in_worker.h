// SPDX-License-Identifier: Apache-2.0
// What may end the process that does it, done in another one, as if it was done here: the same request, the same result.
// Compiled code that ends its process becomes a diagnostic, and what was printed before is there. A request whose token is
// set ends soon, whatever it is in.
#pragma once

#include "app/session/worker/jobs.h"

namespace hidet::session {

// In this process where nothing but the emulator runs.
RunResult run_in_worker(const RunRequest& request);
BenchResult bench_apart(const BenchRequest& request);
KernelBenchResult bench_kernel_apart(const KernelBenchRequest& request);
ModelRunResult run_model_apart(const ModelRunRequest& request);
ModelBenchResult bench_model_apart(const ModelRunRequest& request);
ModelTuneResult tune_model_apart(const ModelRequest& request);

} // namespace hidet::session
