// SPDX-License-Identifier: Apache-2.0
// Scripts that add to a model: operators that its nodes name, rules of rewriting and of resolving.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/session/model/model.h"
#include "app/session/model/request.h"
#include "app/session/plan/session_graphs.h"
#include "app/session/script/engine.h"
#include "app/session/script/load.h"
#include "app/session/script/previewed_script.h"
#include "app/session/tune/tuning.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/script/language.h"
#include "compiler/graph/script/template_provider.h"
#include "compiler/ir/module_options.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "lang/host/options.h"

namespace hidet::session {

class ModelScripts : public graph::CustomOperators {
public:
    // Runs them, and a script that is the model itself: without data where the mode says so. False: one of them cannot be
    // read or has mistakes, which the work's sink knows.
    bool load(Work& work, const ModelRequest& request, ScriptEngine& engine, lang::Mode mode) {
        for (const std::string& path : request.with)
            if (!load_one(work, request, {path, lang::Mode::Run, std::filesystem::path(path).stem().string()}, engine))
                return false;
        return !is_script(request) || load_one(work, request, {request.path, mode, "__main__"}, engine);
    }

    // Of a script that is the model. Nothing: it traces none of that number, which the sink knows.
    std::optional<graph::Graph> traced(Work& work, const ModelRequest& request) const {
        const std::vector<graph::TracedGraph>& graphs = traced_graphs();
        const std::size_t number = request.traced > 0 ? static_cast<std::size_t>(request.traced) : graphs.size();
        if (graphs.empty()) {
            work.sink.report(DiagId::NoGraph, {}, request.path);
            return std::nullopt;
        }
        if (number > graphs.size()) {
            report_wrong_usage(work,
                               cat("there is no graph ", number, ": '", request.path, "' traces ", graphs.size()));
            return std::nullopt;
        }
        graph::Graph out = *graphs[number - 1].graph;
        out.name = std::filesystem::path(request.path).stem().string();
        return out;
    }

    // where it traces graphs
    std::vector<Span> traced_at() const { return transformed(traced_graphs(), &graph::TracedGraph::site); }
    void add_rules(graph::GraphOptions& options) const {
        const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        for (auto each = m_extensions.rbegin(); each != m_extensions.rend(); ++each) {
            append(options.rewrite_rules, each->rules.rewrite_rules);
            append(options.resolve_rules, each->rules.resolve_rules);
            append(options.off, each->rules.off);
        }
    }

    const std::vector<graph::TemplateSource>& templates() const { return m_templates; } // scripts that declare some
    // what the last of them asks of code
    ir::ModuleOptions options() const {
        return m_evaluators.empty() ? ir::ModuleOptions() : lang::module_options(*m_evaluators.back());
    }

    // Of all scripts: where two define one operator, the later one.
    bool has(const std::string& domain, const std::string& op) const override { return find(domain, op) != nullptr; }
    std::vector<graph::ValueId> apply(graph::Graph& graph, const graph::CustomNode& node) override {
        return find(node.domain, node.op)->apply(graph, node);
    }

private:
    struct Run {
        std::string path;
        lang::Mode mode = lang::Mode::Run;
        std::string module_name; // what its `__name__` says
    };
    bool load_one(Work& work, const ModelRequest& request, const Run& run, ScriptEngine& engine) {
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
            m_evaluators.push_back(
                std::make_unique<lang::Evaluator>(work.sources, work.sink, std::move(options), &engine));
            m_evaluators.back()->run(module);
        }
        m_extensions.push_back(graph::model_extensions(*m_evaluators.back()));
        if (m_extensions.back().has_templates)
            m_templates.insert(m_templates.begin(), {source.name, source.text, source.folder});
        return !work.sink.has_errors() && !work.stopped();
    }

    // The script that is the model comes last.
    const std::vector<graph::TracedGraph>& traced_graphs() const { return graph::traced_graphs(*m_evaluators.back()); }
    graph::CustomOperators* find(const std::string& domain, const std::string& op) const {
        for (auto each = m_extensions.rbegin(); each != m_extensions.rend(); ++each)
            if (each->operators->has(domain, op))
                return each->operators;
        return nullptr;
    }

    std::vector<std::unique_ptr<lang::Evaluator>> m_evaluators;
    std::vector<graph::ModelExtensions> m_extensions;
    std::vector<graph::TemplateSource> m_templates; // the latest first
};

} // namespace hidet::session
