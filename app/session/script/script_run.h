// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/script/engine.h"
#include "compiler/graph/script/graph_engine.h"
#include "lang/host/evaluator.h"

namespace hidet::session {

// What is left of a script that was evaluated: its values live as long as the evaluator.
struct EvaluatedScript {
    std::unique_ptr<lang::Evaluator> evaluator; // null: the script could not be parsed
    lang::EvalResult result;
};

// Parses the request's script and runs it on the engine. Mistakes and findings are in the work's sink. `graphs` runs what it
// traces; null: as usual.
EvaluatedScript run_script(Work& work, const RunRequest& request, ScriptEngine& engine,
                           graph::GraphEngineMaker graphs = {});

// Parses and evaluates a script without data; `calls` are of kernel factories.
EvaluatedScript preview_script(Work& work, const Source& source, const std::vector<std::string>& calls);

} // namespace hidet::session
