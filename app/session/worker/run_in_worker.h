// SPDX-License-Identifier: Apache-2.0
// What may end the process that does it, done in another one, as if it was done here: the same request, the same result.
// Compiled code that ends its process becomes a diagnostic, and what was printed before is there. A request whose token is
// set ends soon, whatever it is in. On another machine, where a remote worker is named.
#pragma once

#include "app/session/worker/jobs.h"
#include "app/session/worker/remote_workers.h"

namespace hidet::session {

// In this process where nothing but the emulator runs.
RunResult run_in_worker(const RunRequest& request, const RemoteWorker& at = {});
BenchResult bench_apart(const BenchRequest& request, const RemoteWorker& at = {});
KernelBenchResult bench_kernel_apart(const KernelBenchRequest& request, const RemoteWorker& at = {});
ModelRunResult run_model_apart(const ModelRunRequest& request, const RemoteWorker& at = {});
ModelBenchResult bench_model_apart(const ModelRunRequest& request, const RemoteWorker& at = {});
ModelTuneResult tune_model_apart(const ModelRequest& request, const RemoteWorker& at = {});
Result<CountedPages> count_apart(const CountRequest& request, const RemoteWorker& at,
                                 const std::atomic<bool>* cancelled);

} // namespace hidet::session
