// SPDX-License-Identifier: Apache-2.0
// Whole models in scripts (lang/host/graph_language.h): one object an evaluation, with the graph that symbolic tensors are
// values of, and the settings of PassContext.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/script/graph_engine.h"
#include "compiler/graph/script/symbolic.h"
#include "compiler/graph/script/traced_graph.h"
#include "compiler/schedule/templates.h"
#include "lang/host/graph_language.h"

namespace hidet::graph {

class ScriptOperators;
class ScriptRules;
struct ComputeFrame;
struct PassSettings;
struct TemplateDeclaration;
struct TunedFunction;
struct WrittenKernels;

// A module that is a script of the product's.
struct LibraryModule {
    std::string name; // "hidet.templates"
    std::string_view text;
};
const std::vector<LibraryModule>& library_modules();

class ScriptGraphs : public lang::GraphLanguage {
public:
    ScriptGraphs(GraphEngineMaker make_engine, std::string module_name);
    ~ScriptGraphs() override;
    std::string module_name() const override { return m_module_name; }
    std::string_view module_text(std::string_view dotted) const override;
    void extend(lang::Evaluator& evaluator, lang::HostModule& module) override;
    void named(const lang::Value& value, std::string_view name) override; // the first name of an input stays

    // Applies an operator to tensors and numbers: symbolic ones make nodes, tensors with data are computed at once, those
    // of a preview give their shapes. Mistakes are diagnostics at the call.
    std::vector<lang::Value> apply(lang::Evaluator& evaluator, const OpInfo& op,
                                   const std::vector<lang::Value>& operands, Attributes attributes, Span span);
    // By the name in hidet.ops; null: there is none.
    static const OpInfo* find_function(std::string_view python_name);
    // A call of hidet.ops.<op> or of the method of that name. One result is itself, several are a list.
    lang::Value call(lang::Evaluator& evaluator, const OpInfo& op, const lang::Args& args, Span span);

    lang::Value symbolic(ValueId id) {
        return lang::Value::extension(Ref<lang::NativeObject>(new SymbolicTensor(*this, id)));
    }

    ValueId constant(const lang::TensorRef& tensor); // of the traced graph

    // Calls back into the script: from what the script has called, or from outside when it is over. Mistakes are then
    // reported, and RuleFailed is thrown.
    void guarded(lang::Evaluator& evaluator, Span span, const std::function<void()>& body);
    bool is_over = false;

    // What runs graphs on the evaluation's engine, which there is; the same one each time.
    GraphEngine& engine(lang::Evaluator& evaluator);
    bool can_run(lang::Evaluator& evaluator) const; // there is one

    Graph traced;                        // all symbolic tensors of the evaluation
    std::vector<ComputeFrame> computing; // compute() and reduce() that are being evaluated, the innermost last
    const std::unique_ptr<ScriptRules> rules;
    const std::unique_ptr<ScriptOperators> operators_of_models;
    void keep(TracedGraph made);
    const std::vector<TracedGraph>& flow_graphs() const { return m_flow_graphs; }
    std::vector<TemplateDeclaration> templates;           // in the order of their declaration
    std::unique_ptr<TemplateProvider> our_templates;      // once a graph was built for a GPU
    std::vector<TemplateMetric> metrics;                  // that templates gave since somebody took them
    SymbolValues typical;                                 // of the task that a template is called for
    Dim condition;                                        // of dynamic extents, that its checks have made; null: none
    std::vector<Dim> counted;                             // dynamic extents that it counts in 32 bits
    std::vector<TunedFunction> tuned;                     // that have spaces
    std::map<std::string, std::string> factory_schedules; // of their calls, that were chosen
    std::vector<std::unique_ptr<WrittenKernels>> written; // by operators with kernels of their own
    // Expires with the object, for what refers to it from graphs that live on.
    const std::shared_ptr<ScriptGraphs*> itself = std::make_shared<ScriptGraphs*>(this);
    std::vector<PassSettings> contexts; // of the PassContexts that are entered, the innermost last

private:
    const GraphEngineMaker m_make_engine;
    std::unique_ptr<GraphEngine> m_engine;
    const std::string m_module_name;
    std::vector<TracedGraph> m_flow_graphs;
    bool m_is_called = false;                                                       // from outside
    std::map<const lang::Tensor*, std::pair<lang::TensorRef, ValueId>> m_constants; // looked up only
};

ScriptGraphs& graphs_of(lang::Evaluator& evaluator); // which was made with them

// What scripts call, of a function that takes the graphs besides.
inline auto with_graphs(ScriptGraphs& graphs,
                        lang::Value (*function)(ScriptGraphs&, lang::Evaluator&, lang::Args&, Span)) {
    return [&graphs, function](lang::Evaluator& evaluator, lang::Args& args, Span span) {
        return function(graphs, evaluator, args, span);
    };
}

// What is left of the traced graph between inputs and outputs. Without inputs: the one symbolic tensor that is free;
// OpError when there are several, or when a free one is not among those given.
Graph extract(const Graph& traced, const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs);

} // namespace hidet::graph
