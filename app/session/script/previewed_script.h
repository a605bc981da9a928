// SPDX-License-Identifier: Apache-2.0
// A script that was evaluated without data, for whoever asks later.
#pragma once

#include "app/session/script/script_run.h"

namespace hidet::session {

// What the evaluation found out, without the evaluator. It never changes: any thread may read it.
struct PreviewedScript {
    SourceMap sources;
    lang::EvalResult result;
    std::vector<lang::HostFunction> functions; // of its module level
};

// Evaluates a script that was parsed. The tree is of a text of the work's; an observer watches its values.
EvaluatedScript evaluate_preview(Work& work, const lang::ast::Module& module, const std::string& folder,
                                 lang::ValueObserver* observer);

} // namespace hidet::session
