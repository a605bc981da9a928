// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/plan/session_graphs.h"
#include "app/session/script/engine.h"
#include "lang/host/evaluator.h"

namespace hidet::session {

// What is left of a script that was evaluated: its values live as long as the evaluator.
struct EvaluatedScript {
    std::unique_ptr<lang::Evaluator> evaluator; // null: the script could not be parsed, or may not be evaluated here
    lang::EvalResult result;
};

// Of the graphs that a script traces.
struct GraphTuning {
    GraphTuner tuner; // null: the usual one
    int level = 0;    // at least
};

// Parses the request's script and runs it on the engine. Mistakes and findings are in the work's sink.
EvaluatedScript run_script(Work& work, const RunRequest& request, ScriptEngine& engine, const GraphTuning& tuning = {});

// Parses and evaluates a script without data; `calls` are of kernel factories.
EvaluatedScript preview_script(Work& work, const Source& source, const std::vector<std::string>& calls);
// Whether what is asked for is to be had of a module that the script builds: of the one with the number `module`; with 0 of those
// that calls of the request make, or of all, where none does.
bool is_wanted(const lang::EvalResult& result, bool is_asked, int number, int module);

} // namespace hidet::session
