// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/kernel_bench/kernel_bench.h"

namespace hidet::session {

struct RunResult : Outcome {
    RunSummary summary;
    Verdict verdict;                     // of its own checks
    std::vector<Comparison> comparisons; // the tensors of the check that failed
};

// Executes a script for real.
RunResult run(const RunRequest& request);

// Ends the process without the exit handlers of the driver, which would wait for a kernel that never ends.
[[noreturn]] void leave_process(int exit_code);

} // namespace hidet::session
