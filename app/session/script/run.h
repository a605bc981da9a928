// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

struct RunResult : Outcome {
    RunSummary summary;
};

// Executes a script for real.
RunResult run(const RunRequest& request);

// Ends the process without the exit handlers of the driver, which would wait for a kernel that never ends.
[[noreturn]] void leave_process(int exit_code);

} // namespace hidet::session
