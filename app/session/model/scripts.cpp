// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/scripts.h"

#include <filesystem>

#include "app/session/model/request.h"
#include "app/session/plan/session_graphs.h"
#include "app/session/script/load.h"
#include "app/session/script/previewed_script.h"
#include "app/session/tune/tuning.h"
#include "app/session/work/refusal.h"
#include "lang/base/text.h"
#include "lang/host/options.h"

namespace hidet::session {

bool ModelScripts::load(Work& work, const ModelRequest& request, ScriptEngine& engine, lang::Mode mode) {
    for (const std::string& path : request.with)
        if (!load_one(work, request, {path, lang::Mode::Run, std::filesystem::path(path).stem().string()}, engine))
            return false;
    return !is_script(request) || load_one(work, request, {request.path, mode, "__main__"}, engine);
}

bool ModelScripts::load_one(Work& work, const ModelRequest& request, const Run& run, ScriptEngine& engine) {
    Source source;
    if (!read_script(request, run.path, source, work.sink)) {
        work.status = Status::WrongUsage;
        return false;
    }
    const lang::ast::Module module = parse_script(work, source, {});
    if (work.sink.has_errors())
        return false;
    if (run.mode == lang::Mode::Preview) {
        EvaluatedScript script = evaluate_preview(work, module, {source.folder});
        if (!script.evaluator)
            return false;
        m_evaluators.push_back(std::move(script.evaluator));
    } else {
        work.enter("running the script");
        Work::Clock clock(work, "script");
        lang::EvalOptions options;
        options.cancelled = request.cancelled;
        options.script_folder = source.folder;
        options.seed = request.seed;
        options.graphs = graph::make_graph_language(graph_engines(tuner_of_scripts(work)), run.module_name);
        m_evaluators.push_back(std::make_unique<lang::Evaluator>(work.sources, work.sink, std::move(options), &engine));
        m_evaluators.back()->run(module);
    }
    m_extensions.push_back(graph::model_extensions(*m_evaluators.back()));
    if (m_extensions.back().has_templates)
        m_templates.insert(m_templates.begin(), {source.name, source.text, source.folder});
    return !work.sink.has_errors() && !work.stopped();
}

// The script that is the model comes last.
const std::vector<graph::TracedGraph>& ModelScripts::traced_graphs() const {
    return graph::traced_graphs(*m_evaluators.back());
}

std::optional<graph::Graph> ModelScripts::traced(Work& work, const ModelRequest& request) const {
    const std::vector<graph::TracedGraph>& graphs = traced_graphs();
    const std::size_t number = request.traced > 0 ? static_cast<std::size_t>(request.traced) : graphs.size();
    if (graphs.empty()) {
        work.sink.report(DiagId::NoGraph, {}, request.path);
        return std::nullopt;
    }
    if (number > graphs.size()) {
        report_wrong_usage(work, cat("there is no graph ", number, ": '", request.path, "' traces ", graphs.size()));
        return std::nullopt;
    }
    graph::Graph out = *graphs[number - 1].graph;
    out.name = std::filesystem::path(request.path).stem().string();
    return out;
}

std::vector<Span> ModelScripts::traced_at() const {
    std::vector<Span> out;
    for (const graph::TracedGraph& each : traced_graphs())
        out.push_back(each.site);
    return out;
}

ir::ModuleOptions ModelScripts::options() const {
    return m_evaluators.empty() ? ir::ModuleOptions() : lang::module_options(*m_evaluators.back());
}

void ModelScripts::add_rules(graph::GraphOptions& options) const {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (auto each = m_extensions.rbegin(); each != m_extensions.rend(); ++each) {
        append(options.rewrite_rules, each->rules.rewrite_rules);
        append(options.resolve_rules, each->rules.resolve_rules);
        append(options.off, each->rules.off);
    }
}

graph::CustomOperators* ModelScripts::find(const std::string& domain, const std::string& op) const {
    for (auto each = m_extensions.rbegin(); each != m_extensions.rend(); ++each)
        if (each->operators->has(domain, op))
            return each->operators;
    return nullptr;
}

} // namespace hidet::session
