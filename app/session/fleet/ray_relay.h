// SPDX-License-Identifier: Apache-2.0
// The two ends of a line between a worker that a scheduler has started and the process of whoever it works for: the worker calls
// back, and shows a token that it got with its job.
#pragma once

#include <string>

#include "lang/base/result.h"

namespace hidet::session {

// Has Ray start a worker, a job whose name begins with this, and passes standard input on to it and its output to standard output,
// until either side ends. The exit code.
int relay_ray_job(const std::string& name);

// In the worker: from now on standard input and output are the line to HOST:PORT. "no-line".
Result<void> call_back(const std::string& address);

} // namespace hidet::session
