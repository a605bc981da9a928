// SPDX-License-Identifier: Apache-2.0
// What a job needs of the machine on which it is done.
#pragma once

#include <string>

#include "app/session/worker/jobs.h"

namespace hidet::session {

// What the machine lacks for the job, as the rest of a sentence about it: "has no GPU that can be used: ...". Empty: nothing.
std::string missing_for(const JobRequest& request, const DoctorReport& machine);

} // namespace hidet::session
