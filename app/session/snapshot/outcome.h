// SPDX-License-Identifier: Apache-2.0
// How a request ended: what every result holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

// What the front end's exit code or status line says.
enum class Status : std::uint8_t {
    Ok,
    UserMistake, // in the script or in one of its kernels
    WrongUsage,  // what was asked for does not exist
    Environment, // no GPU, no memory, a file that cannot be written
    Internal,    // our bug
    Cancelled,
    TimedOut, // a kernel or compiled code took longer than it may
};

struct StageTime {
    std::string stage; // "parse", "evaluate", "lower", "cuda", "ptx", "run", ...
    double ms = 0;     // together, however often it was entered
};

struct Outcome {
    std::vector<StageTime> stages; // in the order of their first start
    Status status = Status::Ok;
    bool device_hangs = false; // a kernel never ended: end the process with leave_process()
    std::vector<DiagnosticView> diagnostics;
};

} // namespace hidet::session
