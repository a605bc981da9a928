// SPDX-License-Identifier: Apache-2.0
// Schedules of a graph's kernels from the records of tuning, and by measuring what they lack where there is a GPU.
#pragma once

#include <functional>
#include <string>

#include "app/session/plan/session_graphs.h"
#include "app/session/work/work.h"
#include "compiler/tune/fusions.h"
#include "compiler/tune/share.h"
#include "lang/host/engine.h"

namespace hidet::session {

struct TuningOptions {
    int level = 1;
    std::string records = {};                            // a file; empty: the user's
    double deadline_seconds = 0;                         // 0: as long as it takes
    bool measures = true;                                // where there is a GPU
    std::optional<std::vector<graph::NodeId>> only = {}; // operators that have one of these nodes; nothing: all
    std::function<void(const tune::SearchProgress&)> progress = {};
    tune::Share* share = nullptr; // what is measured is this part, with its records in the place of a file
};

struct TuningOutcome {
    bool can_measure = false;  // there is a GPU, or the kernels are a factory's for the CPU
    bool measures = false;     // and was to
    std::string obstacle = {}; // why kernels of a factory are none to measure; empty: nothing
    std::size_t kernels = 0;   // that have several schedules
    std::size_t missing = 0;   // of these, those of which nothing is known
    Result<void> result = {};  // "records-unreadable"; "device-lost": another process goes on where this one was
};

// "untuned", "2 of 14 kernels tuned at level 1"; `chosen`: by somebody, which tuning leaves alone.
std::string schedules_text(int level, const TuningOutcome& outcome, std::size_t chosen);

// The same of the graphs that a script builds for a GPU.
class ScriptSchedules {
public:
    void add(int level, const TuningOutcome& outcome);
    std::string text() const; // empty: there is no such graph

private:
    int m_untuned = 0, m_tuned = 0; // graphs
    int m_level = 0;                // the highest
    TuningOutcome m_sum;
};

// What is to be tuned: a graph for a machine.
struct TuningTask {
    const graph::Graph& graph;
    const graph::FusionChoices& fusion; // what is not measured
    const graph::TemplateProvider& templates;
    const artifact::TargetSpec& target;
};
// Told what was found, before it is gone.
using TuningReport = std::function<void(const tune::FusionSearch&, const tune::Search&)>;
// The partition is measured where it is doubtful, and gets the schedules that are found.
TuningOutcome choose_schedules(Work& work, lang::Engine& engine, const TuningTask& task, graph::Partition& partition,
                               const TuningOptions& options, const TuningReport& report = {});
// The same of a graph of which nothing is chosen, and says what became of it.
TuningOutcome tune_graph(Work& work, lang::Engine& engine, const graph::CompiledGraph& compiled,
                         const artifact::TargetSpec& target, const graph::TemplateProvider& templates,
                         graph::Partition& partition, const TuningOptions& options, DiagnosticSink& sink,
                         const TuningReport& report = {});
// For graphs that scripts build. What is found is added up in `schedules`, where there are any.
GraphTuner tuner_of_scripts(Work& work, std::shared_ptr<ScriptSchedules> schedules = {});
// Says why there is no result, or what is missing where there is no GPU to measure on. False: there is no result.
bool tell(Work& work, DiagnosticSink& sink, const TuningOptions& options, const TuningOutcome& outcome);

// A file; an empty path: the user's own.
Result<std::unique_ptr<tune::Records>> open_records(const std::string& path);
// The records as lines of text; and such lines from elsewhere added to them: of two measurements of one schedule the faster
// one stays. An empty path: the user's own.
Result<std::string> text_of_records(const std::string& path);
Result<std::size_t> merge_records(const std::string& path, const std::string& text); // lines that were read

// HIDET_RECORDS, else hidet-studio/tuning.db in XDG_DATA_HOME or ~/.local/share. Empty: there is no such folder.
std::string default_records();

} // namespace hidet::session
