// SPDX-License-Identifier: Apache-2.0
// One run as a Chrome trace (chrome://tracing, Perfetto): an event for each step.
#pragma once

#include <string>
#include <vector>

namespace hidet::session {

struct TraceEvent {
    std::string name;
    std::vector<std::string> nodes;
    std::vector<std::string> tensors; // "float32[1, 64, 56, 56]": arguments
    double start_us = 0;
    double duration_us = 0;
    bool is_host = false;
};

std::string trace_text(const std::string& model, const std::string& where, const std::vector<TraceEvent>& events);

} // namespace hidet::session
