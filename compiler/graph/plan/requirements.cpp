// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/requirements.h"

#include "compiler/ir/ops.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

class RequirementCollector {
public:
    RequirementCollector(const Graph& graph, artifact::PlanBody& body, Expressions& expressions)
        : m_graph(graph), m_body(body), m_expressions(expressions) {}

    void run() {
        std::vector<NodeId> nodes = m_graph.topological();
        for (const NodeId id : nodes)
            add_extents(m_graph.node(id));
        for (const NodeId id : nodes)
            if (const auto& task = m_graph.node(id).task)
                for (const Requirement& each : task->requirements)
                    m_body.requirements.push_back({m_expressions.of(each.condition),
                                                   braces_escaped(cat(subject(m_graph.node(id)), " wants ",
                                                                      text_of(each.condition), ": ", each.text)),
                                                   {}});
    }

private:
    static std::string subject(const Node& node) {
        return cat("'", node.name.empty() ? node.op->name : node.name, "'");
    }

    // Where shapes with symbols met, a symbol was taken to be what it stood beside.
    void add_extents(const Node& node) {
        if (node.outputs.empty())
            return;
        const Shape& result = m_graph.value(node.outputs[0]).spec.shape;
        if (node.op->cls == OpClass::Elementwise)
            for (const ValueId input : node.inputs) {
                const Shape& shape = m_graph.value(input).spec.shape;
                const std::size_t shift = result.size() - std::min(shape.size(), result.size());
                for (std::size_t i = 0; i + shift < result.size(); ++i)
                    expect(node, shape[i], result[i + shift]);
            }
        if (node.op->shares_memory)
            expect(node, element_count(m_graph.value(node.inputs[0]).spec.shape), element_count(result));
    }
    void expect(const Node& node, const Dim& have, const Dim& want) {
        if ((constant_of(have) && constant_of(want)) || ir::is_constant(have, 1) || same_dim(have, want))
            return;
        const artifact::Row given = m_expressions.of(have);
        const artifact::Row wanted = m_expressions.of(want);
        m_body.requirements.push_back({m_expressions.combined(artifact::ExprOp::Eq, given, wanted),
                                       cat(braces_escaped(subject(node)), " does not take an extent of {} (",
                                           braces_escaped(text_of(have)), ") where {} is expected"),
                                       {given, wanted}});
    }

    const Graph& m_graph;
    artifact::PlanBody& m_body;
    Expressions& m_expressions;
};

} // namespace

std::string braces_escaped(std::string text) {
    for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += 3)
        text.replace(at, 2, "{ }");
    return text;
}

void add_requirements(const Graph& graph, artifact::PlanBody& body, Expressions& expressions) {
    RequirementCollector(graph, body, expressions).run();
}

} // namespace hidet::graph
