// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune/tune.h"

#include <algorithm>

#include "app/session/model/request.h"
#include "app/session/model/stages.h"
#include "app/session/script/script_run.h"
#include "app/session/tune/tuning.h"
#include "app/session/work/large_thread.h"
#include "app/session/work/refusal.h"
#include "app/session/work/work.h"
#include "compiler/graph/script/factory/factory_call.h"
#include "lang/base/text.h"

namespace hidet::session {

using namespace graph;

namespace {

// What models and scripts share when they are tuned for a report: what is asked for, and what becomes of the answer.

TuningOptions tuning_options(const ModelRequest& request, int level, tune::Share* share) {
    TuningOptions options{
        .level = level, .records = request.records, .deadline_seconds = request.deadline, .measures = request.measures};
    options.share = share;
    if (request.progress)
        options.progress = [&request](const tune::SearchProgress& done) {
            request.progress(
                {cat("measured ", done.measured, " candidates, of '", done.what, "'"), done.done, done.total});
        };
    return options;
}

// To what the report has already: a script has several graphs.
void add_search(ModelTuneResult& report, const graph::Graph& graph, const artifact::TargetSpec& target,
                const tune::FusionSearch& fusions, const tune::Search& search) {
    const std::string machine = tune::machine_text(target);
    if (report.where.find(machine) == std::string::npos)
        report.where += cat(report.where.empty() ? "" : "; ", machine);
    report.measured += fusions.measured() + search.measured();
    report.is_complete = report.is_complete && search.is_complete();
    for (const tune::FusionQuestion& question : fusions.questions()) {
        const auto [producer, consumer] = question.edges.front();
        const auto called = [&](graph::NodeId id) {
            return cat(graph.node(id).op->name, " ", graph::name_of(graph, id));
        };
        report.fusions.push_back({called(producer), called(consumer), question.edges.size(), question.is_fused,
                                  question.taken().value_or(question.is_fused), question.fused_seconds,
                                  question.apart_seconds, question.discarded});
    }
    const graph::NodeKeys keys(graph);
    for (const tune::Operator& op : search.operators())
        report.operators.push_back(tuned_operator(graph, keys, op));
}

void add_outcome(ModelTuneResult& report, const TuningOutcome& outcome) {
    report.can_measure = report.can_measure || outcome.can_measure;
    report.is_complete = report.is_complete && (outcome.measures || outcome.missing == 0 || !outcome.obstacle.empty());
    report.is_lost = !outcome.result && outcome.result.error().code == "device-lost";
}

// Operators of a script have no names: each is called by its line.
std::string name_in_script(const Work& work, const graph::Graph& graph, const tune::Operator& op) {
    const graph::Node& anchor = graph.node(op.group.anchor);
    const bool is_users = anchor.is_any_of({graph::OpId::OpaqueOperator, graph::OpId::UserOperator});
    const std::string name = is_users ? anchor.get<std::string>("name") : op.name;
    return anchor.site.known()
               ? cat(name, " of line ", work.sources.file(anchor.site.file).position(anchor.site.begin).line)
               : name;
}

GraphTuner tuner(Work& work, const ModelRequest& request, ModelTuneResult& result, tune::Share* share) {
    return [&, share](lang::Engine& engine, const graph::CompiledGraph& compiled, const artifact::TargetSpec& target,
                      const graph::TemplateProvider& templates, int level, DiagnosticSink& sink) {
        graph::Partition partition = compiled.partition;
        if (level == 0)
            return partition;
        const TuningOptions options = tuning_options(request, level, share);
        const auto found = [&](const tune::FusionSearch& fusions, const tune::Search& search) {
            auto named = result.operators.size();
            add_search(result, compiled.graph, target, fusions, search);
            for (const tune::Operator& op : search.operators()) {
                TunedOperator& shown = result.operators[named++];
                shown.name = name_in_script(work, compiled.graph, op);
                if (!is_factory_call(compiled.graph))
                    continue;
                shown.nodes.clear(); // it is no operator of a graph that anybody sees
                shown.keys.clear();
                shown.anchors.clear();
            }
        };
        add_outcome(result, tune_graph(work, engine, compiled, target, templates, partition, options, sink, found));
        return partition;
    };
}

// Tuning of the graphs that a script builds for a GPU, and of the functions with spaces that it calls.
void tune_script(Work& work, const ModelRequest& request, ModelTuneResult& result, tune::Share* share) {
    RunRequest run = run_request_of(request);
    if (!read_source(work, request.path, run.source))
        return;
    run.checks_bounds = true; // the script has code of its own
    ScriptEngine engine(work, run);
    if (!engine.has_wanted_gpu())
        return;
    bool has_graph = false;
    const GraphTuner tune = tuner(work, request, result, share);
    const GraphTuner noticed = [&](auto&&... arguments) {
        has_graph = true;
        return tune(arguments...);
    };
    const EvaluatedScript script = run_script(work, run, engine, {noticed, request.space});
    if (!has_graph && !work.sink.has_errors())
        report_warning(
            work.sink,
            "there is nothing to tune: the script builds no graph for a GPU, and calls no function with a space "
            "that can be tuned");
}

TunedCandidate view_of(const tune::Candidate& candidate) {
    return {candidate.schedule, candidate.source,      candidate.predicted, candidate.seconds,
            candidate.spread,   candidate.is_recorded, candidate.discarded, candidate.beside};
}

std::size_t chosen_schedules(const Partition& partition) {
    return static_cast<std::size_t>(
        std::ranges::count_if(partition.groups, [](const Group& group) { return !group.schedule.empty(); }));
}

} // namespace

TunedOperator tuned_operator(const Graph& graph, const NodeKeys& keys, const tune::Operator& op) {
    TunedOperator out;
    out.name = op.name;
    out.nodes = names_of(graph, op.group.nodes);
    out.uses = op.uses;
    out.signature = op.key;
    out.best = op.best;
    for (const NodeId anchor : op.anchors) {
        out.keys.push_back(keys.of(anchor));
        out.anchors.push_back(anchor.index);
    }
    for (const tune::Candidate& candidate : op.candidates)
        out.candidates.push_back(view_of(candidate));
    for (const tune::Candidate& candidate : op.refused)
        out.refused.push_back(view_of(candidate));
    return out;
}

// Nothing: one of them does not exist.
std::optional<std::vector<NodeId>> ModelStages::nodes_to_tune() {
    const Graph& graph = m_compiled->graph;
    const NodeKeys keys(graph);
    std::vector<NodeId> out;
    for (const std::string& wanted : m_request.tuned) {
        std::vector<std::string> names;
        const std::size_t before = out.size();
        for (const NodeId node : graph.topological()) {
            names.insert(names.end(), {keys.of(node), name_of(node)});
            if (keys.of(node) == wanted || name_of(node) == wanted)
                out.push_back(node);
        }
        if (out.size() > before)
            continue;
        const std::string near = closest(wanted, names);
        report_wrong_usage(m_work, cat("the model has no operator '", wanted, "'",
                                       near.empty() ? "" : "; did you mean '" + near + "'?"));
        return std::nullopt;
    }
    return out;
}

bool ModelStages::tune(ModelTuneResult* report, tune::Share* share) {
    if (m_target.is_cuda())
        m_schedules = schedules_text(m_request.space, {}, chosen_schedules(m_compiled->partition));
    if (m_request.space == 0)
        return true;
    if (!m_target.is_cuda()) {
        if (report)
            warn("on a CPU kernels have one schedule: there is nothing to tune");
        return true;
    }
    m_work.enter("tuning the model");
    Work::Clock clock(m_work, "tune");
    const std::optional<std::vector<NodeId>> only = nodes_to_tune();
    if (!only)
        return false;
    TuningOptions options = tuning_options(m_request, m_request.space, share);
    options.measures = options.measures && report; // who runs or exports a model does not wait for it to be tuned
    if (!only->empty())
        options.only = only;
    return guarded_by_model([&] {
        const auto found = [&](const tune::FusionSearch& fusions, const tune::Search& search) {
            if (report)
                add_search(*report, m_compiled->graph, m_target, fusions, search);
        };
        const std::size_t chosen = chosen_schedules(m_compiled->partition);
        graph::FusionChoices fusion = m_body_passes.fusion;
        fusion.target = m_target;
        const TuningTask task{m_compiled->graph, fusion, *templates(), m_target};
        const TuningOutcome outcome = choose_schedules(m_work, *m_engine, task, m_compiled->partition, options, found);
        if (report)
            add_outcome(*report, outcome);
        m_schedules = schedules_text(m_request.space, outcome, chosen);
        if (!report && outcome.missing > 0)
            warn(cat("nothing is recorded of ", outcome.missing, " of ", outcome.kernels,
                     " kernels that have several schedules: each is as its template chooses, and 'hidetc tune' "
                     "measures it"));
        return tell(m_work, m_work.sink, options, outcome) && !m_work.stopped();
    });
}

ModelTuneResult tune_model(const ModelRequest& request, tune::Share* share) {
    return answer<ModelTuneResult>(request, "tune", [&](Work& work, ModelTuneResult& result) {
        if (request.path.ends_with(".py"))
            tune_script(work, request, result, share);
        else if (ModelStages stages(work, request); stages.import() && stages.optimise())
            stages.tune(&result, share);
        if (share)
            result.missing = std::move(share->missing);
    });
}

ModelTuneResult recall_tuning(ModelRequest request) {
    request.measures = false;
    ModelTuneResult result;
    on_large_thread([&] { result = tune_model(request); }); // scripts and walks of graphs recurse
    return result;
}

} // namespace hidet::session
