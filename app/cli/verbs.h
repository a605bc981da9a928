// SPDX-License-Identifier: Apache-2.0
// The verbs. Each stands in its own file: its options, how they are read, and what it does.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "app/cli/verb.h"

namespace hidet::cli {

using Cancelled = std::atomic<bool>;
using Action = std::function<int(const Cancelled&)>; // returns the exit code

// Reads the arguments. Returns true when there is a verb to run; otherwise `exit` is how to end.
bool read_command_line(int argc, char** argv, Action& chosen, int& exit);

// Each adds its verb; where the command line names it, `chosen` becomes what it does.
void add_bench(Verb& program, Action& chosen);
void add_cache(Verb& program, Action& chosen);
void add_check(Verb& program, Action& chosen);
void add_compile(Verb& program, Action& chosen);
void add_doctor(Verb& program, Action& chosen);
void add_emit(Verb& program, Action& chosen);
void add_emulate(Verb& program, Action& chosen);
void add_explain(Verb& program, Action& chosen);
void add_export(Verb& program, Action& chosen);
void add_history(Verb& program, Action& chosen);
void add_lower(Verb& program, Action& chosen);
void add_lsp(Verb& program, Action& chosen);
void add_machine(Verb& program, Action& chosen);
void add_manual(Verb& program, Action& chosen);
void add_map(Verb& program, Action& chosen);
void add_model(Verb& program, Action& chosen);
void add_profile(Verb& program, Action& chosen);
void add_run_verb(Verb& program, Action& chosen);
void add_reduce(Verb& program, Action& chosen);
void add_records(Verb& program, Action& chosen);
void add_report(Verb& program, Action& chosen);
void add_tensor(Verb& program, Action& chosen);
void add_try(Verb& program, Action& chosen);
void add_tune(Verb& program, Action& chosen);
void add_worker(Verb& program, Action& chosen);

// The options of a verb, to be filled while the command line is read; `run` gets them where the verb is chosen.
template <class Options>
Options& options_for(Verb& verb, Action& chosen, int (*run)(const Options&, const Cancelled&)) {
    auto options = std::make_shared<Options>();
    verb.when_chosen([&chosen, options, run] {
        chosen = [options, run](const Cancelled& cancelled) { return run(*options, cancelled); };
    });
    return *options;
}

} // namespace hidet::cli
