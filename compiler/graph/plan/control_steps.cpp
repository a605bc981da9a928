// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/control_steps.h"

#include "compiler/graph/core/nesting.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/requirements.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using artifact::Place;
using artifact::PlanBody;
using artifact::PlanValue;
using artifact::Row;
using artifact::StepKind;
using GraphPtr = std::shared_ptr<const Graph>;

static_assert(most_nested_graphs <= static_cast<int>(artifact::most_nested));

PlanValue& add_value(PlanBody& body, const PlanValue& like, Place place, Row nothing) {
    PlanValue& value = body.values.emplace_back();
    value.name = like.name;
    value.dtype = like.dtype;
    value.place = place;
    value.bytes = nothing;
    return value;
}

} // namespace

std::vector<BodyGraph> describe_control(const Node& node, artifact::PlanStep& step) {
    if (node.is(OpId::OnnxIf)) {
        step.kind = StepKind::If;
        return {{node.get<GraphPtr>("then_branch"), node.get<std::string>("then_problem")},
                {node.get<GraphPtr>("else_branch"), node.get<std::string>("else_problem")}};
    }
    if (!node.is(OpId::OnnxLoop))
        return {};
    const Ints& has = node.get<Ints>("has");
    step.kind = StepKind::Loop;
    step.has_trips = has[0] != 0;
    step.has_condition = has[1] != 0;
    step.carried = static_cast<std::uint32_t>(node.get<std::int64_t>("carried"));
    return {{node.get<GraphPtr>("body"), ""}};
}

PlanBody refusing_body(const PlanBody& outer, const artifact::PlanStep& step, const std::string& problem) {
    PlanBody body;
    Expressions expressions(body);
    const Row nothing = expressions.constant(0);
    for (std::size_t i = 1; i < step.reads.size(); ++i) {
        const PlanValue& given = outer.values[step.reads[i]];
        std::vector<Row> shape; // whatever it is
        for (std::size_t d = 0; d < given.shape.size(); ++d)
            shape.push_back(expressions.of(symbol_dim(cat(given.name, "_", i, "_", d))));
        body.inputs.push_back(static_cast<Row>(body.values.size()));
        add_value(body, given, Place::Input, nothing).shape = shape;
    }
    for (const Row wanted : step.writes) {
        const PlanValue& like = outer.values[wanted];
        body.outputs.push_back(static_cast<Row>(body.values.size()));
        add_value(body, like, Place::Output, nothing).shape.assign(like.shape.size(), nothing);
    }
    body.sections = {{0, 0, nothing, artifact::no_row}};
    body.requirements = {{nothing, braces_escaped(problem), {}}};
    return body;
}

} // namespace hidet::graph
