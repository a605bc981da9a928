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
    // Runs them. False: one of them cannot be read or has mistakes, which the work's sink knows.
    bool load(Work& work, const ModelRequest& request, ScriptEngine& engine);
    void add_rules(graph::GraphOptions& options) const;
    const std::vector<graph::TemplateSource>& templates() const { return m_templates; } // scripts that declare some
    ir::ModuleOptions options() const; // what the last of them asks of code

    // Of all scripts: where two define one operator, the later one.
    bool has(const std::string& domain, const std::string& op) const override { return find(domain, op) != nullptr; }
    std::vector<graph::ValueId> apply(graph::Graph& graph, const graph::CustomNode& node) override {
        return find(node.domain, node.op)->apply(graph, node);
    }

private:
    bool load_one(Work& work, const ModelRequest& request, const std::string& path, ScriptEngine& engine);
    graph::CustomOperators* find(const std::string& domain, const std::string& op) const;

    std::vector<std::unique_ptr<lang::Evaluator>> m_evaluators;
    std::vector<graph::ModelExtensions> m_extensions;
    std::vector<graph::TemplateSource> m_templates; // the latest first
};

} // namespace hidet::session
