// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/scripts.h"

#include <filesystem>

#include "app/session/plan/session_graphs.h"
#include "app/session/script/load.h"
#include "app/session/tune/tuning.h"
#include "lang/host/options.h"

namespace hidet::session {

bool ModelScripts::load(Work& work, const ModelRequest& request, ScriptEngine& engine) {
    for (const std::string& path : request.with)
        if (!load_one(work, request, path, engine))
            return false;
    return true;
}

bool ModelScripts::load_one(Work& work, const ModelRequest& request, const std::string& path, ScriptEngine& engine) {
    Source source;
    if (!read_source(path, source, work.sink)) {
        work.status = Status::WrongUsage;
        return false;
    }
    const lang::ast::Module module = parse_script(work, source, {});
    if (work.sink.has_errors())
        return false;
    work.enter("running the script");
    Work::Clock clock(work, "script");
    lang::EvalOptions options;
    options.cancelled = request.cancelled;
    options.script_folder = source.folder;
    options.seed = request.seed;
    options.graphs =
        graph::make_graph_language(graph_engines(tuner_of_scripts(work)), std::filesystem::path(path).stem().string());
    m_evaluators.push_back(std::make_unique<lang::Evaluator>(work.sources, work.sink, std::move(options), &engine));
    m_evaluators.back()->run(module);
    m_extensions.push_back(graph::model_extensions(*m_evaluators.back()));
    if (m_extensions.back().has_templates)
        m_templates.insert(m_templates.begin(), {source.name, source.text, source.folder});
    return !work.sink.has_errors() && !work.stopped();
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
