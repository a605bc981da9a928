// SPDX-License-Identifier: Apache-2.0
// Whole models in the script language: give it to the evaluator as EvalOptions::graphs, a new one for each evaluation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/onnx/import.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/script/graph_engine.h"
#include "compiler/graph/script/traced_graph.h"
#include "lang/host/evaluator.h"
#include "lang/host/graph_language.h"

namespace hidet::graph {

// Without what makes engines, no graph runs: for previews. The module's name is what the script's `__name__` says.
std::shared_ptr<lang::GraphLanguage> make_graph_language(GraphEngineMaker make_engine = {},
                                                         std::string module_name = "__main__");

// What a script that has been evaluated adds to models. It calls back into the script: the evaluator outlives its use.
// A mistake of the script is reported to the evaluator's sink and thrown as RuleFailed.
struct ModelExtensions {
    CustomOperators* operators = nullptr;
    GraphOptions rules;         // rewrite_rules, resolve_rules and `off` alone
    bool has_templates = false; // for template_provider.h
};
ModelExtensions model_extensions(lang::Evaluator& evaluator);

// The graphs that it has traced, in the order of the calls. Of very many the first ones and the last.
const std::vector<TracedGraph>& traced_graphs(lang::Evaluator& evaluator);

} // namespace hidet::graph
