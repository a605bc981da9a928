// SPDX-License-Identifier: Apache-2.0
// A page of HTML about a script or a model: all that is known of it, with pictures, in one file that loads nothing. The same
// data is the same bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/explain/explain.h"
#include "app/session/kernel_bench/history.h"
#include "app/session/kernel_bench/run.h"
#include "app/session/model/view/model_view.h"
#include "app/session/preview/preview.h"
#include "app/session/prove/contracts.h"

namespace hidet::session {

struct ScriptReport {
    Source source;
    PreviewResult preview; // its forms are shown
    ExplainResult explained;
    ContractResult contracts;
    std::optional<RunResult> run;    // on the emulator, with times
    std::vector<SnapshotPtr> graphs; // that it traces
    std::vector<RunRecord> runs;     // of the history: the last of each function, shapes and device, of this text
};
std::string page_of(const ScriptReport& report);

struct ModelReport {
    ModelCompileResult compiled;
    std::optional<ModelBenchResult> measured;
    SnapshotPtr view;  // for the picture of its graph
    std::string graph; // its operators, as text
};
std::string page_of(const ModelReport& report);

// Of the file's runs those of this text. Those of read_file().
Result<std::vector<RunRecord>> last_runs(const std::string& history, const std::string& text);

} // namespace hidet::session
