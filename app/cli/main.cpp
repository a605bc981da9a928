// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>

#include <pthread.h>

#include "app/cli/options.h"
#include "app/cli/verbs.h"

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
    {"bench", hidet::cli::bench},   {"cache", hidet::cli::cache},    {"check", hidet::cli::check},
    {"doctor", hidet::cli::doctor}, {"emit", hidet::cli::emit},      {"emulate", hidet::cli::run_script},
    {"lower", hidet::cli::lower},   {"run", hidet::cli::run_script},
};

// Scripts may nest deeply, and the limits that stop them count on room: a thread with a stack of our own choosing does
// not depend on the shell's.
int on_a_large_stack(const std::function<int()>& body) {
    struct Call {
        const std::function<int()>& body;
        int result;
    } call{body, hidet::cli::exit_internal};
    auto entry = [](void* argument) -> void* {
        auto& running = *static_cast<Call*>(argument);
        running.result = running.body();
        return nullptr;
    };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{64} << 20);
    pthread_t thread{};
    bool started = pthread_create(&thread, &attributes, entry, &call) == 0;
    pthread_attr_destroy(&attributes);
    if (!started)
        return body();
    pthread_join(thread, nullptr);
    return call.result;
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
