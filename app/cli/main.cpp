// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <system_error>

#include "app/cli/options.h"
#include "app/cli/verbs.h"
#include "app/session/large_thread.h"

namespace {

std::atomic<bool> g_cancelled{false};

// The first Ctrl-C asks the evaluator and the emulator to stop, the second one kills.
void on_interrupt(int) {
    g_cancelled.store(true);
    std::signal(SIGINT, SIG_DFL);
}

struct Verb {
    const char* name;
    int (*run)(const hidet::cli::Options&, const std::atomic<bool>&);
};
constexpr Verb verbs[] = {
    {"bench", hidet::cli::bench},   {"cache", hidet::cli::cache}, {"check", hidet::cli::check},
    {"doctor", hidet::cli::doctor}, {"emit", hidet::cli::emit},   {"emulate", hidet::cli::run_script},
    {"lower", hidet::cli::lower},   {"model", hidet::cli::model}, {"run", hidet::cli::run_script},
    {"worker", hidet::cli::worker},
};

int on_a_large_stack(const std::function<int()>& body) {
    int result = hidet::cli::exit_internal;
    try {
        hidet::session::LargeThread thread([&] { result = body(); });
    } catch (const std::system_error&) {
        return body();
    }
    return result;
}

} // namespace

int main(int argc, char** argv) {
    hidet::cli::Options options;
    int exit = hidet::cli::exit_usage;
    if (!hidet::cli::parse_options(argc, argv, options, exit))
        return exit;
    std::signal(SIGINT, on_interrupt);
    for (const Verb& verb : verbs)
        if (options.verb == verb.name)
            return on_a_large_stack([&] { return verb.run(options, g_cancelled); });
    return exit;
}
