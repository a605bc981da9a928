// SPDX-License-Identifier: Apache-2.0
// The texts that a script was, one after the other: those that were run and those in between that it was edited to, each with
// what it costs and what that changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/kernel_bench/code_figures.h"
#include "app/session/kernel_bench/edit_trail.h"
#include "app/session/kernel_bench/history.h"

namespace hidet::session {

struct TextStep {
    std::string when;             // it was there first
    std::string hash;             // of the text
    int runs = 0;                 // of this text, before it became another one; 0: it was only edited
    std::optional<RunRecord> run; // of the wanted key the fastest that is not wrong, else the newest of all
    CodeFigures figures;
    std::vector<std::string> changes; // against the step before
};

CodeFigures figures_of(const RunRecord& run);

// `key`: of the runs whose times count (RunRecord::key()); empty: the newest run's. Oldest first.
std::vector<TextStep> steps_of(const std::vector<RunRecord>& runs, const std::vector<EditState>& edits,
                               std::string key = {});

} // namespace hidet::session
