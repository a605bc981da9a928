// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/launch_plan.h"

#include "lang/base/text.h"
#include "runtime/package/check.h"

namespace hidet::artifact {

std::string problem_of(const LaunchPlan& plan) {
    package::Problem problem;
    return package::check(plan, problem) ? "" : problem.message;
}

ArenaSizes arena_sizes(const LaunchPlan& plan, const std::vector<ExprValue>& expressions) {
    ArenaSizes sizes{0, 0};
    const auto add = [&](ExprValue& sum, Row row) {
        const ExprValue more = row == no_row ? std::nullopt : expressions[row];
        sum = sum && more ? ExprValue(*sum + *more) : std::nullopt;
    };
    for (const PlanSection& section : plan.sections) {
        add(sizes.bytes, section.arena_bytes);
        add(sizes.bound, section.liveness_bound);
    }
    return sizes;
}

ArenaSizes arena_sizes(const LaunchPlan& plan) {
    return arena_sizes(plan, evaluate(plan.expressions, std::vector<ExprValue>(plan.symbols.size())));
}

std::vector<std::string> symbol_names(const LaunchPlan& plan) {
    std::vector<std::string> names;
    for (const PlanSymbol& symbol : plan.symbols)
        names.push_back(symbol.name);
    return names;
}

std::string extents_text(const LaunchPlan& plan, const std::vector<Row>& shape) {
    const std::vector<std::string> names = symbol_names(plan);
    std::vector<std::string> extents;
    for (const Row extent : shape)
        extents.push_back(text_of(plan.expressions, extent, names));
    return "[" + join(extents, ", ") + "]";
}

} // namespace hidet::artifact
