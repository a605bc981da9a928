// SPDX-License-Identifier: Apache-2.0
// Whether what was exported does what it is for: built by the compilers that are here, loaded by Python, run where there is what
// it runs on, and compared. Works on a copy in a folder of its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "app/session/exporting/export.h"

namespace hidet::session {

struct CheckStep {
    enum class State : std::uint8_t { Passed, Failed, Missing };
    std::string what; // "A compiler takes it as C11, without warnings"
    State state = State::Passed;
    std::string
        said; // Failed: what the tool said; Missing: what is not here, by its name; Passed: figures, if there are any
};

struct CheckRequest {
    const ExportRequest& exported;
    const ExportResult& result;
    std::string programs; // the folder that hidet-run may be in; else it is searched on PATH
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(const CheckStep&)> done = {}; // a step has ended
    // Runs a model, or a package, in a process that it may cost: machine code of a package is not run in this one.
    std::function<ModelRunResult(const ModelRunRequest&)> run_model = {};
};
// At least one step, unless it was cancelled: nothing that was not looked at counts as passed.
std::vector<CheckStep> check_export(const CheckRequest& request);

// "Passed", "Failed"; of what was looked at in part, "2 of 3 checked".
std::string verdict_of(const std::vector<CheckStep>& steps);

} // namespace hidet::session
