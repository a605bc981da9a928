// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune/tune_script.h"

#include "app/session/model/request.h"
#include "app/session/model/tune/tune_report.h"
#include "app/session/script/script_run.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

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
        if (level == 0)
            return partition;
        const TuningOptions options = tuning_options(request, level);
        const auto found = [&](const tune::FusionSearch& fusions, const tune::Search& search) {
            auto named = result.operators.size();
            add_search(result, compiled.graph, target, fusions, search);
            for (const tune::Operator& op : search.operators())
                result.operators[named++].name = name_in_script(work, compiled.graph, op);
        };
        graph::FusionChoices nothing_chosen;
        nothing_chosen.target = target;
        const TuningTask task{compiled.graph, nothing_chosen, templates, target};
        const TuningOutcome outcome = choose_schedules(work, engine, task, partition, options, found);
        add_outcome(result, outcome);
        tell(work, sink, options, outcome);
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
    const GraphTuner noticed = [&](auto&&... arguments) {
        has_graph = true;
        return tune(arguments...);
    };
    const EvaluatedScript script = run_script(work, run, engine, {noticed, request.space});
    if (has_graph || work.sink.has_errors())
        return;
    Diagnostic diagnostic =
        Diagnostic::make(DiagId::BadValue, {}, "the script builds no graph for a GPU: there is nothing to tune");
    diagnostic.severity = Severity::Warning;
    work.sink.report(std::move(diagnostic));
}

} // namespace hidet::session
