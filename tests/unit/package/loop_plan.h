// SPDX-License-Identifier: Apache-2.0
// A launch plan with a loop that can be run.
#pragma once

#include "tests/unit/artifact/full_plan.h"

namespace hidet::test {

// The value, of f32[n] unless a shape is given.
inline Row add(PlanBody& body, const char* name, const char* dtype, Place place, std::vector<Row> shape, Row bytes) {
    body.values.push_back(
        {.name = name, .dtype = dtype, .shape = std::move(shape), .place = place, .bytes = bytes, .first_step = 0});
    return static_cast<Row>(body.values.size() - 1);
}

inline PlanStep call_of(Row function, std::vector<Row> reads, std::vector<Row> writes) {
    PlanStep step = step_of(StepKind::Call, 0, reads, writes);
    step.function = function;
    for (const std::vector<Row>* values : {&reads, &writes})
        for (const Row value : *values)
            step.arguments.push_back({.value = value});
    return step;
}

// for i in range(count): x = x + 1 where x[0] is below 3, else 2 * x; while x[0] is below 10. Makes x, and all of them.
inline LaunchPlan loop_plan() {
    const std::vector<Expression> expressions = {{{ExprOp::Symbol, 0}},
                                                 {{ExprOp::Symbol, 0}, {ExprOp::Constant, 4}, {ExprOp::Mul}},
                                                 {{ExprOp::Constant, 1}},
                                                 {{ExprOp::Constant, 8}},
                                                 {{ExprOp::Constant, 0}}};
    const auto body_with = [&] {
        PlanBody body;
        body.symbols = {{"n", 0, 0}};
        body.expressions = expressions;
        body.sections = {{0, 0, 4, no_row}};
        return body;
    };
    const auto branch = [&](Row function) {
        PlanBody body = body_with();
        const Row x = add(body, "x", "float32", Place::Input, {0}, 1),
                  y = add(body, "y", "float32", Place::Output, {0}, 1);
        body.inputs = {x};
        body.outputs = {y};
        body.steps = {call_of(function, {x}, {y})};
        body.sections[0].end_step = 1;
        return body;
    };
    PlanBody trip = body_with();
    const Row number = add(trip, "i", "int64", Place::Input, {}, 3),
              goes_on = add(trip, "c", "bool", Place::Input, {}, 2),
              x = add(trip, "x", "float32", Place::Input, {0}, 1), low = add(trip, "low", "bool", Place::Host, {}, 2),
              next = add(trip, "next", "float32", Place::Host, {0}, 1),
              on = add(trip, "on", "bool", Place::Output, {}, 2);
    trip.symbols[0].value = x;
    trip.inputs = {number, goes_on, x};
    trip.outputs = {on, next, next};
    PlanStep choice = step_of(StepKind::If, 0, {low, x}, {next});
    choice.bodies = {1, 2};
    trip.steps = {call_of(2, {x}, {low}), choice, call_of(3, {next}, {on})};
    trip.values[low].last_step = 1;
    trip.sections[0].end_step = 3;

    LaunchPlan plan;
    static_cast<PlanBody&>(plan) = body_with();
    const Row given = add(plan, "x", "float32", Place::Input, {0}, 1),
              count = add(plan, "count", "int64", Place::Input, {}, 3),
              last = add(plan, "last", "float32", Place::Host, {0}, 1);
    plan.symbols.push_back({"trips", 3, 0});
    plan.expressions.push_back({{ExprOp::Symbol, 1}});
    plan.expressions.push_back({{ExprOp::Symbol, 1}, {ExprOp::Earlier, 1}, {ExprOp::Mul}});
    const Row all = add(plan, "all", "float32", Place::Host, {5, 0}, 6);
    plan.inputs = {given, count};
    plan.outputs = {last, all};
    PlanStep loop = step_of(StepKind::Loop, 0, {count, given}, {last, all});
    loop.has_trips = true;
    loop.carried = 1;
    loop.bodies = {0};
    plan.steps = {loop};
    plan.sections = {{0, 1, 4, no_row}};
    plan.modules = {{"0123456789abcdef"}};
    plan.functions = {{0, "one more", "", {}}, {0, "twice", "", {}}, {0, "below 3", "", {}}, {0, "below 10", "", {}}};
    plan.bodies = {trip, branch(0), branch(1)};
    return plan;
}

} // namespace hidet::test
