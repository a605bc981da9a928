// SPDX-License-Identifier: Apache-2.0
// A server of the Model Context Protocol (modelcontextprotocol.io, 2025-06-18) on standard streams: one JSON message a line. Calls
// run side by side, each in a process of its own; all of them end when the client closes its end.
#pragma once

#include <string>
#include <vector>

#include "app/mcp/tools.h"

namespace hidet::mcp {

struct ServerOptions {
    std::vector<VerbShape> verbs; // each is a tool
    Devices devices;
    std::string version; // of the program
};

int serve_standard_streams(const ServerOptions& options); // the exit code

std::string agent_guide(); // what a program that writes kernels should read first

} // namespace hidet::mcp
