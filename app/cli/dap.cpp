// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"
#include "app/dap/server.h"

namespace hidet::cli {

namespace {

struct DapOptions {};

int serve_debugger(const DapOptions&, const Cancelled&) {
    return dap::serve_standard_streams();
}

} // namespace

void add_dap(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("dap", "the debug adapter for editors: kernels on the emulator, forward and back");
    options_for(verb, chosen, serve_debugger);
}

} // namespace hidet::cli
