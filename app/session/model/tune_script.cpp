// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune_script.h"

#include "app/session/model/request.h"
#include "app/session/script/script_run.h"
#include "app/session/tune/tuning.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/names/keys.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

void warn(DiagnosticSink& sink, const std::string& what) {
    Diagnostic diagnostic = Diagnostic::make(DiagId::BadValue, {}, what);
    diagnostic.severity = Severity::Warning;
    sink.report(std::move(diagnostic));
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

GraphTuner tuner(Work& work, const ModelRequest& request, ModelTuneResult& result) {
    return [&](lang::Engine& engine, const graph::CompiledGraph& compiled, const artifact::TargetSpec& target,
               const graph::TemplateProvider& templates, int level, DiagnosticSink& sink) {
        graph::Partition partition = compiled.partition;
        TuningOptions options{.level = level, .records = request.records, .deadline_seconds = request.deadline};
        if (request.progress)
            options.progress = [&](const tune::SearchProgress& done) {
                request.progress(
                    {cat("measured ", done.measured, " candidates, of '", done.what, "'"), done.done, done.total});
            };
        std::size_t kernels = 0;
        const auto found = [&](const tune::Search& search) {
            kernels = search.operators().size();
            result.where = tune::machine_text(target);
            result.measured += search.measured();
            result.is_complete = result.is_complete && search.is_complete();
            const graph::NodeKeys keys(compiled.graph);
            for (const tune::Operator& op : search.operators()) {
                result.operators.push_back(tuned_operator(compiled.graph, keys, op));
                result.operators.back().name = name_in_script(work, compiled.graph, op);
            }
        };
        const TuningOutcome outcome =
            choose_schedules(work, engine, compiled.graph, partition, templates, target, options, found);
        result.is_complete = result.is_complete && (outcome.measures || outcome.missing == 0);
        if (!outcome.result) {
            result.is_lost = outcome.result.error().code == "device-lost";
            report_environment(work, sink, outcome.result.error());
        } else if (!outcome.measures && outcome.missing > 0) {
            warn(sink, no_gpu_text(outcome, kernels));
        }
        return partition;
    };
}

} // namespace

void tune_script(Work& work, const ModelRequest& request, ModelTuneResult& result) {
    RunRequest run = run_request_of(request);
    if (!read_source(request.path, run.source, work.sink)) {
        work.status = Status::WrongUsage;
        return;
    }
    run.checks_bounds = true; // the script has code of its own
    ScriptEngine engine(work, run);
    if (request.target == Target::Cuda && !engine.has_cuda()) {
        work.sink.report(DiagId::NoGpu, {}, engine.gpu_error() ? engine.gpu_error()->message : "there is none");
        work.status = Status::Environment;
        return;
    }
    bool has_graph = false;
    const GraphTuner tune = tuner(work, request, result);
    const graph::GraphEngineMaker make = graph_engines([&](auto&&... arguments) {
        has_graph = true;
        return tune(arguments...);
    });
    const EvaluatedScript script = run_script(work, run, engine, [&](lang::Engine& inner) {
        auto graphs = make(inner);
        graphs->level = request.space;
        return graphs;
    });
    if (!has_graph && !work.sink.has_errors())
        warn(work.sink, "the script builds no graph for a GPU: there is nothing to tune");
}

} // namespace hidet::session
