// SPDX-License-Identifier: Apache-2.0
// A script that was evaluated without data, for whoever asks later.
#pragma once

#include "app/session/script/rehearsal.h"
#include "app/session/script/script_run.h"

namespace hidet::session {

// What the evaluation found out, without the evaluator. It never changes: any thread may read it.
struct PreviewedScript {
    SourceMap sources;
    lang::EvalResult result;
    std::vector<lang::HostFunction> functions; // of its module level
};

struct PreviewOptions {
    std::string folder;                              // for imports
    lang::ValueObserver* observer = nullptr;         // watches its values
    std::unique_ptr<Rehearsal> rehearsal = {};       // of this text, where one has begun
    std::shared_ptr<lang::ImportFiles> imports = {}; // of a rehearsal itself, which nobody rehearses
    lang::StepWatcher* watcher = nullptr;            // the same
};

// Evaluates a script that was parsed, of a text of the work's. There is no evaluator where its rehearsal was not survived, and
// the sink says so.
EvaluatedScript evaluate_preview(Work& work, const lang::ast::Module& module, PreviewOptions options);

} // namespace hidet::session
