// SPDX-License-Identifier: Apache-2.0
// Does one job, here and now.
#pragma once

#include <atomic>

#include "app/session/worker/service.h"

namespace hidet::session {

struct JobContext {
    std::shared_ptr<Tools> tools;
    const std::atomic<bool>& cancelled;
    Service::OnEvent on_event; // may be empty
    // Compilers and the machine's tools, where this process may not use them; empty: here.
    std::function<Answer(const JobRequest&, const std::atomic<bool>&)> elsewhere = {};
};

// Throws nothing. A job that was cancelled while it ran ends as cancelled, whatever came out.
Answer perform(const JobRequest& request, const JobContext& context);

// A kernel that never ends holds the device: the process that did this job has to leave (leave_process).
bool device_hangs(const Answer& answer);

} // namespace hidet::session
