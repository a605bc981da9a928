// SPDX-License-Identifier: Apache-2.0
// What the actions of 'hidetc model' ask for in the same words. The rest of an action's options stands in its own file.
#pragma once

#include <string>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/session/model/model.h"

namespace hidet::cli {

struct ModelOptions {
    session::ModelRequest request;
    std::string other; // of verbs that take a second one; it may also be no file
    bool json = false;
    std::vector<std::string> dimensions; // "batch=4"
    bool no_fusion = false;
    std::string mesh;                // "data=2,tensor=2"
    std::vector<std::string> places; // "conv1=split along 1"
};
void add_model(Verb& action, ModelOptions& options);
void add_model_options(Verb& action, ModelOptions& options); // but for the model itself
void add_compilation(Verb& action, ModelOptions& options);   // of those, what decides how it is compiled, and no target

// An action with what all of them ask for: its options have that as `model`.
template <class Options>
struct ModelAction {
    Verb verb;
    Options& options;
};
template <class Options>
ModelAction<Options> add_action(Verb& model, const char* name, const char* what, Action& chosen,
                                int (*run)(const Options&, const Cancelled&)) {
    Verb verb = model.add_verb(name, what);
    Options& options = options_for(verb, chosen, run);
    add_model(verb, options.model);
    return {verb, options};
}

// How many processes share the model, for the actions that have a say in it; and how they do, as a table: empty where it is one.
void add_processes(Verb& action, ModelOptions& options);
std::string placements_text(const session::ModelFacts& facts);

void end_progress(); // the line of it, if there is one

// The document, or what `print` prints and the diagnostics; the exit code.
template <class Result>
int report(const ModelOptions& options, const Result& result, const std::function<void()>& print) {
    end_progress();
    if (options.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    print();
    print_diagnostics(result.diagnostics);
    return end_of(result);
}
// false: reported as wrong usage.
bool fill(const ModelOptions& options, const Cancelled& cancelled, session::ModelRequest& request);

// "batch=4"; false: one is something else, which is reported as wrong usage.
bool read_dimensions(const std::vector<std::string>& texts, std::vector<session::Dimension>& dimensions);

struct ModelInputOptions {
    std::string data;
    std::vector<std::string> inputs; // "x=x.npy"
    std::uint64_t seed = 0;
    double timeout = 60; // seconds
    std::string remote;
};
void add_inputs(Verb& action, ModelInputOptions& options);
bool fill(const ModelInputOptions& options, session::ModelRunRequest& request); // likewise
// Where the model runs; false: likewise.
bool take_remote(const std::string& name, const session::ModelRequest& request, session::RemoteWorker& out);

std::string title_of_model(const session::ModelFacts& facts);
std::string launches_text(const session::ModelFacts& facts); // "78 launches, 1 step on the host"

} // namespace hidet::cli
