// SPDX-License-Identifier: Apache-2.0
#include "app/session/tune/tuning.h"

#include <algorithm>
#include <filesystem>

#include "app/session/tune/factory_arguments.h"
#include "app/session/tune/measure_candidates.h"
#include "app/session/tune/predict_module.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/plan/signature.h"
#include "compiler/graph/script/factory/factory_call.h"
#include "compiler/schedule/implementation.h"
#include "lang/base/text.h"
#include "runtime/toolchain/user_folder.h"

namespace hidet::session {

namespace {

// Measurements of another version say nothing of what this one generates, nor whether that is right.
constexpr const char* code_version = "2";
// Schedules of a call that is not tuned, each of which takes some milliseconds; of more the defaults are taken.
constexpr std::size_t most_predicted = 64;

bool is_unknown(const tune::Operator& op) {
    const auto is_measured = [](const tune::Candidate& each) { return each.seconds.has_value(); };
    return op.candidates.size() > 1 && std::ranges::none_of(op.candidates, is_measured);
}

// Why a call of a factory cannot be measured here; empty: it can be, or nothing is left to measure.
std::string obstacle_to(lang::Engine& engine, tune::Search& search, const graph::TemplateProvider& schedules,
                        const TuningTask& task) {
    const auto is_known = [](const tune::Operator& op) {
        return std::ranges::all_of(op.candidates, &tune::Candidate::is_recorded);
    };
    if (!search.recall() ||
        std::ranges::all_of(search.operators(), is_known)) // run() says what is wrong with the records
        return "";
    const tune::Operator& call = search.operators().front();
    const auto automatic =
        schedules.schedule({task.graph, call.group.anchor, task.target}, call.candidates.front().schedule);
    const Result<void> possible = automatic ? can_be_measured(engine, automatic->module) : Result<void>();
    return possible ? "" : possible.error().message;
}

// The schedule that the user's records say is the fastest; empty: they say nothing.
std::string recorded_schedule(Work& work, const tune::RecordKey& automatic, const std::vector<std::string>& schedules) {
    const std::string path = default_records();
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored))
        return "";
    const auto records = tune::Records::open(path);
    const Result<std::string> found =
        records ? tune::fastest_recorded(*records.value(), automatic, schedules) : Result<std::string>(records.error());
    if (!found)
        report_warning(work.sink, cat(found.error().message, "; kernels are chosen as if there were none"));
    return found ? found.value() : "";
}

// A call of a factory that nobody tunes: as the records say, else as is predicted.
graph::Partition recalled_call(Work& work, const graph::CompiledGraph& compiled, const artifact::TargetSpec& target,
                               const graph::TemplateProvider& templates) {
    graph::Partition partition = compiled.partition;
    graph::Group& group = partition.groups.front();
    const graph::ScheduleDoor door(compiled.graph, &templates);
    const graph::AnchorTask task{compiled.graph, group.anchor, target};
    const std::vector<std::string> first_level = door.candidates(task, 1);
    std::vector<std::string> schedules = door.candidates(task, 2); // of whatever level they were measured at
    schedules.insert(schedules.end(), first_level.begin(), first_level.end());
    const tune::RecordKey automatic{graph::signature_of(compiled.graph, group).text, tune::machine_text(target),
                                    tune::source_text(code_version, door.source_of(schedules.front())),
                                    schedules.front()};
    group.schedule = recorded_schedule(work, automatic, schedules);
    if (!group.schedule.empty() || !target.is_cuda() || first_level.size() > most_predicted)
        return partition;
    const auto nothing = tune::Records::open(tune::in_memory);
    if (!nothing)
        return partition;
    tune::SearchOptions options{
        .level = 1, .target = target, .templates = door, .records = *nothing.value(), .version = code_version};
    options.cancelled = work.cancelled;
    options.predict = [&](const ir::ModuleRef& module) { return predicted_seconds(work, module, target); };
    tune::Search search(compiled.graph, partition, options);
    return search.recall() ? search.chosen(std::move(partition)) : partition;
}

} // namespace

std::string default_records() {
    const toolchain::Variables variables = toolchain::environment_variables();
    if (std::string file = variables("HIDET_RECORDS"); !file.empty())
        return file;
    const std::string base = toolchain::user_folder(variables, "XDG_DATA_HOME", ".local/share");
    return base.empty() ? "" : base + "/hidet-studio/tuning.db";
}

Result<std::unique_ptr<tune::Records>> open_records(const std::string& asked) {
    const std::string path = asked.empty() ? default_records() : asked;
    if (path.empty())
        return Error{"records-unreadable", "there is no folder for the records of tuning; name a file"};
    return tune::Records::open(path);
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
    const bool is_call = graph::is_factory_call(task.graph);
    std::unique_ptr<tune::Records> own;
    if (auto opened = options.share ? Result(std::move(own)) : open_records(options.records))
        own = std::move(opened).value();
    else
        out.result = opened.error();
    if (!out.result)
        return out;
    tune::Records& records = options.share ? *options.share->records : *own;
    const graph::ScheduleDoor door(task.graph, &task.templates);
    tune::SearchOptions search_options{
        .level = options.level, .target = task.target, .templates = door, .records = records, .version = code_version};
    search_options.deadline_seconds = options.deadline_seconds;
    search_options.cancelled = work.cancelled;
    search_options.progress = options.progress;
    search_options.only = options.only;
    out.can_measure = task.target.is_cuda() ? engine.has_cuda() : is_call;
    out.measures = options.measures && out.can_measure;
    if (is_call)
        search_options.predict = [&](const ir::ModuleRef& module) {
            return predicted_seconds(work, module, task.target);
        };
    CandidateMeasurer candidates(work, engine, door, task.target);
    std::optional<tune::SharedMeasurer> shared;
    if (options.share)
        shared.emplace(candidates, *options.share);
    tune::Measurer& measurer = shared ? static_cast<tune::Measurer&>(*shared) : candidates;
    tune::FusionSearch fusions(task.graph, partition, task.fusion, search_options);
    out.result = out.measures ? fusions.run(measurer) : fusions.recall();
    if (!out.result)
        return out;
    partition = fusions.decided(std::move(partition));
    tune::Search search(task.graph, partition, search_options);
    if (is_call && out.measures)
        out.obstacle = obstacle_to(engine, search, door, task);
    out.measures = out.measures && out.obstacle.empty();
    out.result = out.measures && !measurer.is_waiting() ? search.run(measurer) : search.recall();
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
        if (level == 0 && graph::is_factory_call(compiled.graph))
            return recalled_call(work, compiled, target, templates);
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
    if (!outcome.obstacle.empty()) {
        report_warning(sink, cat("kernels that have several schedules are not measured: ", outcome.obstacle));
        return true;
    }
    report_warning(sink, cat("there is no GPU to measure on, and nothing is recorded of ", outcome.missing, " of ",
                             outcome.kernels, " kernels that have several schedules"));
    return true;
}

} // namespace hidet::session
