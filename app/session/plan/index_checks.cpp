// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/index_checks.h"

#include <algorithm>
#include <optional>

#include "compiler/graph/core/indices.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/plan.h"
#include "lang/base/text.h"

namespace hidet::session {

using namespace graph;

namespace {

// Nothing where it is the run that finds an extent out.
std::optional<IndexLimits> limits_of(const Indexing& indexing, const SymbolValues& symbols) {
    IndexLimits limits{{}, indexing.is_from_end, indexing.ignored};
    if (!std::ranges::all_of(graph::symbols_of(indexing.extents),
                             [&](const std::string& name) { return symbols.contains(name); }))
        return std::nullopt;
    for (const Dim& each : indexing.extents)
        limits.extents.push_back(value_of(each, symbols));
    return limits;
}

// Calls use(position of the input, what indexes by it, the operator).
void each_indexed_input(const Graph& graph, auto&& use) {
    for (const NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        if (!node.op->indexes)
            continue;
        for (const Indexing& each : node.op->indexes(graph.call_of(id))) {
            const auto input = std::ranges::find(graph.inputs, given_as(graph, node.inputs[each.operand]));
            if (input != graph.inputs.end())
                use(static_cast<std::size_t>(input - graph.inputs.begin()), each, id);
        }
    }
}

} // namespace

void check_indices(const Graph& graph, const Tensors& inputs, const SymbolValues& symbols) {
    each_indexed_input(graph, [&](std::size_t input, const Indexing& indexing, NodeId reader) {
        if (const std::optional<IndexLimits> limits = limits_of(indexing, symbols))
            check_indices(*inputs[input], *limits, graph.value(graph.inputs[input]).shown_name(),
                          cat("'", name_of(graph, reader), "'"));
    });
}

void add_input_checks(const Graph& graph, artifact::LaunchPlan& plan) {
    Expressions expressions(plan);
    const auto is_of_inputs = [&](const std::string& name) {
        const auto symbol = std::ranges::find(plan.symbols, name, &artifact::PlanSymbol::name);
        return symbol != plan.symbols.end() && symbol->value < plan.values.size() &&
               plan.values[symbol->value].place == artifact::Place::Input;
    };
    each_indexed_input(graph, [&](std::size_t input, const Indexing& indexing, NodeId reader) {
        const artifact::PlanValue& value = plan.values[plan.inputs[input]];
        const auto dtype = ir::find_dtype(value.dtype);
        if (indexing.extents.empty() || !dtype || !ir::is_integer(*dtype) ||
            !std::ranges::all_of(graph::symbols_of(indexing.extents), is_of_inputs))
            return;
        artifact::PlanStep step;
        step.kind = artifact::StepKind::Host;
        step.op = artifact::HostOperator::CheckIndices;
        step.section = static_cast<std::uint32_t>(plan.sections.size() - 1);
        step.reads = {plan.inputs[input]};
        step.attributes = {
            {"extents", artifact::AttributeKind::Shape, {}, {}, {}, expressions.of(indexing.extents)},
            {"from_end", artifact::AttributeKind::Bool, {indexing.is_from_end}, {}, {}, {}},
            {"ignored", artifact::AttributeKind::Ints, indexing.ignored ? Ints{*indexing.ignored} : Ints{}, {}, {}, {}},
            {"tensor", artifact::AttributeKind::Text, {}, {}, {value.name}, {}}};
        step.operators = {name_of(graph, reader)};
        plan.steps.push_back(std::move(step));
        ++plan.sections.back().end_step;
    });
}

} // namespace hidet::session
