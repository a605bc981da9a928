// SPDX-License-Identifier: Apache-2.0
// What the actions of 'hidetc model' ask for in the same words. The rest of an action's options stands in its own file.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/cli/verbs.h"
#include "app/session/model/model.h"

namespace hidet::cli {

struct ModelOptions {
    std::string file;
    bool json = false;
    session::Target target = session::Target::Auto;
    std::vector<std::string> dimensions; // "batch=4"
    std::vector<std::string> off;
    std::vector<std::string> on;
    std::vector<std::string> with;
    std::string precision;
    std::string choices;
    bool no_fusion = false;
    std::string fault;
};
void add_model(Verb& action, ModelOptions& options);
// false: reported as wrong usage.
bool fill(const ModelOptions& options, const Cancelled& cancelled, session::ModelRequest& request);

struct ModelInputOptions {
    std::string data;
    std::vector<std::string> inputs; // "x=x.npy"
    std::uint64_t seed = 0;
    double timeout = 60; // seconds
};
void add_inputs(Verb& action, ModelInputOptions& options);
bool fill(const ModelInputOptions& options, session::ModelRunRequest& request); // likewise

// The actions, as verbs.h has the verbs.
void add_model_bench(Verb& model, Action& chosen);
void add_model_compile(Verb& model, Action& chosen);
void add_model_emit(Verb& model, Action& chosen);
void add_model_run(Verb& model, Action& chosen);
void add_model_show(Verb& model, Action& chosen);

} // namespace hidet::cli
