// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/previewed_script.h"

#include <algorithm>

#include "app/session/package/script_packages.h"
#include "app/session/script/communication.h"
#include "app/session/script/import_fixes.h"
#include "app/session/script/load.h"
#include "app/session/script/team_communication.h"
#include "app/session/tune/tuning.h"
#include "compiler/graph/script/language.h"

namespace hidet::session {

namespace {

graph::GraphEngineMaker engines(Work& work, const GraphTuning& tuning,
                                const std::shared_ptr<ScriptSchedules>& schedules,
                                const std::shared_ptr<ScriptPackages>& packages) {
    const GraphTuner tuner = tuning.tuner ? tuning.tuner : tuner_of_scripts(work, schedules);
    return [level = tuning.level, make = graph_engines(tuner, packages)](lang::Engine& engine) {
        std::unique_ptr<graph::GraphEngine> graphs = make(engine);
        graphs->level = level;
        return graphs;
    };
}

} // namespace

EvaluatedScript run_script(Work& work, const RunRequest& request, ScriptEngine& engine, const GraphTuning& tuning) {
    EvaluatedScript out;
    lang::ast::Module module = parse_script(work, request.source, {});
    if (work.sink.has_errors())
        return out;
    work.enter("running the script");
    Work::Clock clock(work, "script"); // with all that it builds and calls
    lang::EvalOptions options;
    options.mode = lang::Mode::Run;
    options.cancelled = work.cancelled;
    options.script_folder = request.source.folder;
    engine.schedules = std::make_shared<ScriptSchedules>();
    engine.packages =
        std::make_shared<ScriptPackages>(work, request, PackageSharing(engine, [&engine] { return engine.own_gpu(); }));
    options.graphs = graph::make_graph_language(engines(work, tuning, engine.schedules, engine.packages));
    options.communication = request.place.team
                                ? make_team_communication(request.place)
                                : make_communication({.meets_others = request.trusts || info(request.target).emulates,
                                                      .is_cancelled = [&work] { return work.stopped(); },
                                                      .gpu = [&engine] { return engine.own_gpu(); },
                                                      .tools = request.tools});
    options.seed = request.seed;
    options.max_steps = std::max(options.max_steps, request.max_steps);
    if (request.max_bytes > 0)
        options.max_bytes = request.max_bytes;
    out.evaluator = std::make_unique<lang::Evaluator>(work.sources, work.sink, options, &engine);
    out.result = out.evaluator->run(module);
    offer_imports(work, request.source);
    return out;
}

bool is_wanted(const lang::EvalResult& result, bool is_asked, int number, int module) {
    if (module != 0)
        return module == number;
    return is_asked || std::ranges::none_of(result.modules, &lang::RecordedModule::is_asked);
}

EvaluatedScript preview_script(Work& work, const Source& source, const std::vector<std::string>& calls) {
    std::unique_ptr<Rehearsal> rehearsal = begin_rehearsal(source, calls, nullptr);
    const lang::ast::Module module = parse_script(work, source, calls);
    EvaluatedScript out = evaluate_preview(work, module, {source.folder, nullptr, std::move(rehearsal)});
    offer_imports(work, source);
    return out;
}

static EvaluatedScript evaluate(Work& work, const lang::ast::Module& module, const PreviewOptions& how) {
    lang::EvalOptions options;
    options.mode = lang::Mode::Preview;
    options.cancelled = work.cancelled;
    options.script_folder = how.folder;
    options.imports = how.imports;
    options.watcher = how.watcher;
    options.graphs = graph::make_graph_language();
    options.observer = how.observer;
    EvaluatedScript out;
    out.evaluator = std::make_unique<lang::Evaluator>(work.sources, work.sink, options, nullptr);
    out.result = out.evaluator->run(module);
    return out;
}

static void report_end(Work& work, FileId file, const Tried& tried) {
    if (tried.end == Tried::End::Died)
        work.sink.report(Diagnostic::make(DiagId::EvaluationEnded, Span{file, 0, 0}, tried.reason)
                             .note({}, "it was tried in a process of its own, and nothing else ended with that"));
    if (tried.end == Tried::End::Untried)
        work.sink.report(DiagId::EnvironmentRefused, Span{file, 0, 0}, tried.reason);
}

EvaluatedScript evaluate_preview(Work& work, const lang::ast::Module& module, PreviewOptions how) {
    work.enter("evaluating the script");
    Work::Clock clock(work, "evaluate");
    if (how.imports)
        return evaluate(work, module, how);
    const auto rehearsed =
        std::make_shared<Rehearsed>(work.sources, module.file, how.folder, std::move(how.rehearsal), work.cancelled);
    how.imports = rehearsed;
    how.watcher = rehearsed.get();
    const std::vector<Diagnostic> before = work.sink.all();
    EvaluatedScript out = evaluate(work, module, how);
    if (has_survived(rehearsed->wait()))
        return out;
    rehearsed->abandon(std::make_shared<EvaluatedScript>(std::move(out)));
    work.sink.take();
    for (const Diagnostic& each : before)
        work.sink.report(each);
    report_end(work, module.file, rehearsed->wait());
    return {};
}

} // namespace hidet::session
