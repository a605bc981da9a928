// SPDX-License-Identifier: Apache-2.0
// What a verb is added by.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "app/cli/verb.h"

namespace hidet::mcp {
struct VerbShape;
} // namespace hidet::mcp

namespace hidet::cli {

using Cancelled = std::atomic<bool>;
using Action = std::function<int(const Cancelled&)>; // returns the exit code

// Reads the arguments. Returns true when there is a verb to run; otherwise `exit` is how to end.
bool read_command_line(int argc, char** argv, Action& chosen, int& exit);

// The verbs that do something, with their options.
std::vector<mcp::VerbShape> verb_shapes();

// Each adds its verb; where the command line names it, `chosen` becomes what it does.
#define HIDET_VERB(name) void add_##name(Verb& program, Action& chosen);
#define HIDET_MODEL_VERB(name) void add_model_##name(Verb& model, Action& chosen);
#include "app/cli/verbs.def"

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
