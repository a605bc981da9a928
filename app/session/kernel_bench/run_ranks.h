// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/kernel_bench/run.h"

namespace hidet::session {

// Runs a script once for each rank of the request, all in this process. What a rank prints comes line by line with its number
// in front, rank by rank; what is found is told once.
RunResult run_ranks(const RunRequest& request);

} // namespace hidet::session
