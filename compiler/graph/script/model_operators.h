// SPDX-License-Identifier: Apache-2.0
// register_onnx_operator: operators of models that a script defines, for those that are not supported or in their place.
//
//   @register_onnx_operator('Swish', domain='my.domain')        @register_onnx_operator
//   def swish(inputs, attrs):                                   class OnnxSwish(OnnxOperator):
//       return inputs[0] * hidet.ops.sigmoid(inputs[0])             def run_v1(self, inputs): ...
#pragma once

#include <map>
#include <string>
#include <utility>

#include "compiler/graph/onnx/import.h"
#include "compiler/graph/script/script_graphs.h"
#include "lang/host/modules.h"

namespace hidet::graph {

class ScriptOperators : public CustomOperators {
public:
    ScriptOperators(ScriptGraphs& graphs) : m_graphs(graphs) {}

    bool has(const std::string& domain, const std::string& op) const override {
        return m_functions.contains({domain, op});
    }
    std::vector<ValueId> apply(Graph& graph, const CustomNode& node) override;

    struct Function {
        lang::Evaluator* evaluator = nullptr;
        lang::Value callee; // a function of inputs and attributes, or a class with methods run
        Span place;
    };
    void add(std::string domain, std::string op, Function function) {
        m_functions.insert_or_assign({std::move(domain), std::move(op)}, std::move(function));
    }
    bool empty() const { return m_functions.empty(); }

private:
    lang::Value results_of(const Function& function, const CustomNode& node, lang::Value inputs);

    ScriptGraphs& m_graphs;
    std::map<std::pair<std::string, std::string>, Function> m_functions;
};

void add_model_operators(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);

} // namespace hidet::graph
