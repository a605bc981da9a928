// SPDX-License-Identifier: Apache-2.0
// Scripts that add to a model: operators that its nodes name, rules of rewriting and of resolving.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/model/model.h"
#include "app/session/script/engine.h"
#include "compiler/graph/script/language.h"
#include "compiler/graph/script/template_provider.h"
#include "compiler/ir/module_options.h"

namespace hidet::session {

class ModelScripts : public graph::CustomOperators {
public:
    // Runs them, and a script that is the model itself: without data where the mode says so. False: one of them cannot be
    // read or has mistakes, which the work's sink knows.
    bool load(Work& work, const ModelRequest& request, ScriptEngine& engine, lang::Mode mode);
    // Of a script that is the model. Nothing: it traces none of that number, which the sink knows.
    std::optional<graph::Graph> traced(Work& work, const ModelRequest& request) const;
    std::vector<Span> traced_at() const; // where it traces graphs
    void add_rules(graph::GraphOptions& options) const;
    const std::vector<graph::TemplateSource>& templates() const { return m_templates; } // scripts that declare some
    ir::ModuleOptions options() const; // what the last of them asks of code

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
    bool load_one(Work& work, const ModelRequest& request, const Run& run, ScriptEngine& engine);
    const std::vector<graph::TracedGraph>& traced_graphs() const;
    graph::CustomOperators* find(const std::string& domain, const std::string& op) const;

    std::vector<std::unique_ptr<lang::Evaluator>> m_evaluators;
    std::vector<graph::ModelExtensions> m_extensions;
    std::vector<graph::TemplateSource> m_templates; // the latest first
};

} // namespace hidet::session
