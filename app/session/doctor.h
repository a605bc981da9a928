// SPDX-License-Identifier: Apache-2.0
// What this machine has of what the studio can use, and how to get the rest.
#pragma once

#include <string>
#include <vector>

#include "app/session/session.h"

namespace hidet::session {

struct ToolFact {
    std::string name;   // "NVRTC"
    std::string serves; // "PTX and machine code for GPUs"
    bool usable = false;
    std::string path;
    std::string version;
    std::string origin;  // why there: "toolkit", "wheel", "HIDET_NVRTC"
    std::string problem; // when it is not usable
    std::string advice;
    std::vector<std::string> looked; // where it was searched for
};

struct DoctorReport {
    std::vector<ToolFact> tools;
};

// Loads libraries and starts programs to ask for their versions: some hundred milliseconds.
DoctorReport examine(Tools& tools);

} // namespace hidet::session
