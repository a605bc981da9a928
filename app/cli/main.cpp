// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <csignal>
#include <functional>

#include "app/cli/command_line.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/session/work/large_thread.h"

namespace {

std::atomic<bool> g_cancelled{false};

// The first Ctrl-C asks the evaluator and the emulator to stop, the second one kills.
void on_interrupt(int) {
    g_cancelled.store(true);
    std::signal(SIGINT, SIG_DFL);
}

int on_a_large_stack(const std::function<int()>& body) {
    int result = hidet::cli::exit_internal;
    hidet::session::on_large_thread([&] { result = body(); });
    return result;
}

} // namespace

int main(int argc, char** argv) {
    hidet::cli::Action verb;
    int exit = hidet::cli::exit_usage;
    if (!hidet::cli::read_command_line(argc, argv, verb, exit))
        return hidet::cli::close_output(exit);
    std::signal(SIGINT, on_interrupt);
    return hidet::cli::close_output(on_a_large_stack([&] { return verb(g_cancelled); }));
}
