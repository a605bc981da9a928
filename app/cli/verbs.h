// SPDX-License-Identifier: Apache-2.0
// The verbs. Each stands in its own file: its options, how they are read, and what it does.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace CLI {
class App;
}

namespace hidet::cli {

using Cancelled = std::atomic<bool>;
using Action = std::function<int(const Cancelled&)>; // returns the exit code

// Each adds its verb; where the command line names it, `chosen` becomes what it does.
void add_bench(CLI::App& app, Action& chosen);
void add_cache(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_emit(CLI::App& app, Action& chosen);
void add_emulate(CLI::App& app, Action& chosen);
void add_lower(CLI::App& app, Action& chosen);
void add_model(CLI::App& app, Action& chosen);
void add_run_verb(CLI::App& app, Action& chosen);
void add_try(CLI::App& app, Action& chosen);
void add_worker(CLI::App& app, Action& chosen);

void when_chosen(CLI::App& verb, Action& chosen, Action action);

// The options of a verb, to be filled while the command line is read; `run` gets them where the verb is chosen.
template <class Options>
Options& options_for(CLI::App& verb, Action& chosen, int (*run)(const Options&, const Cancelled&)) {
    auto options = std::make_shared<Options>();
    when_chosen(verb, chosen, [options, run](const Cancelled& cancelled) { return run(*options, cancelled); });
    return *options;
}

} // namespace hidet::cli
