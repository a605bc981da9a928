// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"
#include "app/cli/verbs.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>

#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/session/work/large_thread.h"
#include "app/session/worker/forking_rehearser.h"

namespace hidet::cli {

namespace {

std::atomic<bool> g_cancelled{false};

// The first Ctrl-C asks the evaluator and the emulator to stop, the second one kills.
void on_interrupt(int) {
    g_cancelled.store(true);
    std::signal(SIGINT, SIG_DFL);
}

// Once the process has become two, the thread of this body is all there is of one of them.
int on_a_large_stack(const session::ForkingRehearser& rehearser, const std::function<int()>& body) {
    int result = exit_internal;
    session::on_large_thread([&] {
        result = body();
        if (rehearser.is_alone())
            std::exit(result);
    });
    return result;
}

} // namespace

int run_program(int argc, char** argv) {
    Action verb;
    int exit = exit_usage;
    if (!read_command_line(argc, argv, verb, exit))
        return close_output(exit);
    std::signal(SIGINT, on_interrupt);
    session::ForkingRehearser rehearser;
    session::set_rehearser(&rehearser);
    return on_a_large_stack(rehearser, [&] { return close_output(verb(g_cancelled)); });
}

} // namespace hidet::cli
