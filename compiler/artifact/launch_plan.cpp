// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/launch_plan.h"

#include "lang/base/text.h"
#include "lang/base/transformed.h"
#include "runtime/package/check.h"

namespace hidet::artifact {

std::string problem_of(const LaunchPlan& plan) {
    package::Problem problem;
    return package::check(plan, problem) ? "" : problem.message;
}

ArenaSizes arena_sizes(const PlanBody& body, const std::vector<ExprValue>& expressions) {
    ArenaSizes sizes{0, 0};
    const auto add = [&](ExprValue& sum, Row row) {
        const ExprValue more = row == no_row ? std::nullopt : expressions[row];
        sum = sum && more ? ExprValue(*sum + *more) : std::nullopt;
    };
    for (const PlanSection& section : body.sections) {
        add(sizes.bytes, section.arena_bytes);
        add(sizes.bound, section.liveness_bound);
    }
    return sizes;
}

ArenaSizes arena_sizes(const PlanBody& body) {
    return arena_sizes(body, evaluate(body.expressions, std::vector<ExprValue>(body.symbols.size())));
}

std::vector<std::string> symbol_names(const PlanBody& body) {
    return transformed(body.symbols, &PlanSymbol::name);
}

std::string extents_text(const PlanBody& body, const std::vector<Row>& shape) {
    const std::vector<std::string> names = symbol_names(body);
    return "[" +
           join(transformed(shape, [&](const Row extent) { return text_of(body.expressions, extent, names); }), ", ") +
           "]";
}

} // namespace hidet::artifact
