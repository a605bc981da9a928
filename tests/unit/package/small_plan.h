// SPDX-License-Identifier: Apache-2.0
// A launch plan that can be run.
#pragma once

#include "tests/unit/artifact/full_plan.h"

namespace hidet::test {

// t = x + w by a function; where n is more than 4, x is copied over it, else nothing is; a host operator takes what is
// positive in a view of t; y is twice that.
inline LaunchPlan small_plan() {
    LaunchPlan plan;
    plan.symbols = {{"n", 0, 0, 1, 64}, {"k", 4, 0}};
    plan.expressions = {{{ExprOp::Symbol, 0}},   {{ExprOp::Symbol, 0}, {ExprOp::Constant, 4}, {ExprOp::Mul}},
                        {{ExprOp::Symbol, 1}},   {{ExprOp::Symbol, 1}, {ExprOp::Constant, 4}, {ExprOp::Mul}},
                        {{ExprOp::Constant, 0}}, {{ExprOp::Constant, 4}, {ExprOp::Symbol, 0}, {ExprOp::Lt}},
                        {{ExprOp::Constant, 1}}, {{ExprOp::Symbol, 0}, {ExprOp::Constant, 13}, {ExprOp::Ne}}};
    plan.weights = {{"w.bin", 0, 4, "float32", {1}, {1}, ""}};
    const auto value = [&](const char* name, Place place, Row extent, Row bytes) -> PlanValue& {
        return plan.values.emplace_back(
            PlanValue{.name = name, .dtype = "float32", .shape = {extent}, .place = place, .bytes = bytes});
    };
    value("x", Place::Input, 0, 1);
    value("w", Place::Constant, 6, 6).weight = 0;
    PlanValue& t = value("t", Place::Arena, 0, 1);
    t.offset = 4;
    t.first_step = 0;
    value("view", Place::Alias, 0, 1).of = 2;
    PlanValue& some = value("some", Place::Host, 2, 3);
    some.first_step = 4;
    some.last_step = 5;
    value("y", Place::Output, 2, 3);
    plan.inputs = {0};
    plan.outputs = {5};
    plan.modules = {{"0123456789abcdef"}};
    plan.functions = {{0, "add", "", {}}, {0, "twice", "", {}}};
    plan.sections = {{0, 5, 1, no_row}, {5, 6, 4, no_row}};
    PlanStep add = step_of(StepKind::Call, 0, {0, 1}, {2}), twice = step_of(StepKind::Call, 1, {4}, {5});
    add.function = 0;
    add.arguments = {{.value = 0}, {.value = 1}, {.value = 2}};
    twice.function = 1;
    twice.arguments = {{.value = 4}, {.value = 5}, {.kind = ArgumentKind::Scalar, .expression = 2}};
    PlanStep choose = step_of(StepKind::Choose, 0, {}, {}), fill = step_of(StepKind::Fill, 0, {}, {2}),
             copy = step_of(StepKind::Copy, 0, {0}, {2}), host = step_of(StepKind::Host, 0, {3}, {4});
    choose.choice = 5;
    choose.ranges = {{2, 3}, {3, 4}};
    fill.bytes = 4;
    copy.bytes = 1;
    host.op = HostOperator::NonZero;
    host.kernels = {"NonZero"};
    plan.steps = {add, choose, fill, copy, host, twice};
    plan.requirements = {{7, "it is {} of {}", {0, 1}}};
    return plan;
}

} // namespace hidet::test
