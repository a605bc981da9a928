// SPDX-License-Identifier: Apache-2.0
#include "app/session/tune/tuning.h"

#include <algorithm>

#include "app/session/tune/measure_candidates.h"
#include "app/session/work/refusal.h"
#include "compiler/schedule/implementation.h"
#include "lang/base/text.h"
#include "runtime/toolchain/locate.h"

namespace hidet::session {

namespace {

// Measurements of another version say nothing of what this one generates.
constexpr const char* code_version = "1";

bool is_unknown(const tune::Operator& op) {
    const auto is_measured = [](const tune::Candidate& each) { return each.seconds.has_value(); };
    return op.candidates.size() > 1 && std::ranges::none_of(op.candidates, is_measured);
}

Result<std::unique_ptr<tune::Records>> open_records(const std::string& asked) {
    const std::string path = asked.empty() ? default_records() : asked;
    if (path.empty())
        return Error{"records-unreadable", "there is no folder for the records of tuning; name a file"};
    return tune::Records::open(path);
}

} // namespace

std::string default_records() {
    const toolchain::Variables variables = toolchain::environment_variables();
    if (std::string file = variables("HIDET_RECORDS"); !file.empty())
        return file;
    std::string base = variables("XDG_DATA_HOME");
    if (!base.starts_with('/')) {
        const std::string home = variables("HOME");
        base = home.starts_with('/') ? home + "/.local/share" : "";
    }
    return base.empty() ? "" : base + "/hidet-studio/tuning.db";
}

Result<std::string> text_of_records(const std::string& path) {
    HIDET_TRY(const auto records, open_records(path));
    return records->text();
}

Result<std::size_t> merge_records(const std::string& path, const std::string& text) {
    HIDET_TRY(const auto records, open_records(path));
    return records->merge(text);
}

TuningOutcome choose_schedules(Work& work, lang::Engine& engine, const TuningTask& task, graph::Partition& partition,
                               const TuningOptions& options, const TuningReport& report) {
    TuningOutcome out;
    auto opened = open_records(options.records);
    if (!opened) {
        out.result = opened.error();
        return out;
    }
    const auto records = std::move(opened).value();
    const graph::ScheduleDoor door(task.graph, &task.templates);
    tune::SearchOptions search_options{
        .level = options.level, .target = task.target, .templates = door, .records = *records, .version = code_version};
    search_options.deadline_seconds = options.deadline_seconds;
    search_options.cancelled = work.cancelled;
    search_options.progress = options.progress;
    search_options.only = options.only;
    out.has_gpu = engine.has_cuda();
    out.measures = options.measures && out.has_gpu;
    CandidateMeasurer measurer(work, engine, door, task.target);
    tune::FusionSearch fusions(task.graph, partition, task.fusion, search_options);
    out.result = out.measures ? fusions.run(measurer) : fusions.recall();
    if (!out.result)
        return out;
    partition = fusions.decided(std::move(partition));
    tune::Search search(task.graph, partition, search_options);
    out.result = out.measures ? search.run(measurer) : search.recall();
    out.kernels = search.operators().size();
    out.missing = static_cast<std::size_t>(std::ranges::count_if(search.operators(), is_unknown));
    graph::Partition chosen = search.chosen(partition);
    if (report)
        report(fusions, search);
    partition = std::move(chosen);
    return out;
}

std::string schedules_text(int level, const TuningOutcome& outcome, std::size_t chosen) {
    const std::string by_hand = chosen == 0 ? "" : cat(", ", chosen, " chosen by hand");
    if (level == 0)
        return "untuned" + by_hand;
    if (outcome.kernels == 0)
        return "no kernel to tune" + by_hand;
    return cat(outcome.kernels - outcome.missing, " of ", outcome.kernels,
               outcome.kernels == 1 ? " kernel" : " kernels", " tuned at level ", level, by_hand);
}

void ScriptSchedules::add(int level, const TuningOutcome& outcome) {
    ++(level == 0 ? m_untuned : m_tuned);
    m_level = std::max(m_level, level);
    m_sum.kernels += outcome.kernels;
    m_sum.missing += outcome.missing;
}

std::string ScriptSchedules::text() const {
    if (m_untuned + m_tuned == 0)
        return "";
    const std::string text = schedules_text(m_level, m_sum, 0);
    if (m_untuned == 0 || m_tuned == 0)
        return text;
    return cat(text, ", ", m_untuned, " of ", m_untuned + m_tuned, " graphs untuned");
}

TuningOutcome tune_graph(Work& work, lang::Engine& engine, const graph::CompiledGraph& compiled,
                         const artifact::TargetSpec& target, const graph::TemplateProvider& templates,
                         graph::Partition& partition, const TuningOptions& options, DiagnosticSink& sink,
                         const TuningReport& report) {
    graph::FusionChoices nothing_chosen;
    nothing_chosen.target = target;
    const TuningTask task{compiled.graph, nothing_chosen, templates, target};
    TuningOutcome outcome = choose_schedules(work, engine, task, partition, options, report);
    tell(work, sink, options, outcome);
    return outcome;
}

GraphTuner tuner_of_scripts(Work& work, std::shared_ptr<ScriptSchedules> schedules) {
    return [&work, schedules = std::move(schedules)](
               lang::Engine& engine, const graph::CompiledGraph& compiled, const artifact::TargetSpec& target,
               const graph::TemplateProvider& templates, int level, DiagnosticSink& sink) {
        graph::Partition partition = compiled.partition;
        if (level == 0) {
            if (schedules)
                schedules->add(level, {});
            return partition;
        }
        const TuningOutcome outcome =
            tune_graph(work, engine, compiled, target, templates, partition, {.level = level}, sink);
        if (schedules && outcome.result)
            schedules->add(level, outcome);
        return partition;
    };
}

bool tell(Work& work, DiagnosticSink& sink, const TuningOptions& options, const TuningOutcome& outcome) {
    if (!outcome.result) {
        report_environment(work, sink, outcome.result.error());
        return false;
    }
    if (!options.measures || outcome.measures || outcome.missing == 0)
        return true;
    report_warning(sink, cat("there is no GPU to measure on, and nothing is recorded of ", outcome.missing, " of ",
                             outcome.kernels, " kernels that have several schedules"));
    return true;
}

} // namespace hidet::session
