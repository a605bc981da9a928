// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/launch_plan.h"

#include <doctest/doctest.h>
#include <functional>
#include <random>

#include "tests/unit/artifact/full_plan.h"

using namespace hidet::artifact;
using hidet::test::full_plan;
using hidet::test::step_of;

namespace {

LaunchPlan damaged(const std::function<void(LaunchPlan&)>& damage) {
    LaunchPlan plan = full_plan();
    damage(plan);
    return plan;
}

std::int64_t value_of(Expression expression, std::vector<ExprValue> symbols = {}) {
    return evaluate({std::move(expression)}, symbols).front().value_or(-99);
}

} // namespace

TEST_CASE("a plan reads back from bytes") {
    const LaunchPlan plan = full_plan();
    REQUIRE(problem_of(plan) == "");
    const auto from_bytes = plan_from_bytes(to_bytes(plan));
    REQUIRE((from_bytes.ok() ? "" : from_bytes.error().message) == "");
    REQUIRE(from_bytes.value() == plan);
}

TEST_CASE("another version is refused with both numbers") {
    LaunchPlan plan = full_plan();
    plan.version = 7;
    const auto read = plan_from_bytes(to_bytes(plan));
    REQUIRE(read.error().code == "plan-version");
    REQUIRE(read.error().message == "it is a launch plan of version 7, and this program reads version 4");
}

TEST_CASE("a plan that breaks a rule is refused by the name of what is wrong") {
    const auto problem = [](const auto& damage) { return problem_of(damaged(damage)); };
    REQUIRE(problem([](LaunchPlan& plan) { plan.values[3].of = 99; }) ==
            "value 3: value 99 is not a row of a table of 10");
    REQUIRE(problem([](LaunchPlan& plan) { plan.values[3].of = 3; }) == "value 3: it is an alias of an alias");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[3].pop_back(); }) ==
            "expression 3: it leaves 2 values instead of one");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[0] = {{ExprOp::Add}}; }) ==
            "expression 0: '+' lacks operands");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[3][0].operand = 3; }) ==
            "expression 3: it uses expression 3, which does not stand before it");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[1][0].operand = -1; }) ==
            "expression 1: symbol 18446744073709551615 is not a row of a table of 2");
    REQUIRE(problem([](LaunchPlan& plan) { plan.sections[1].end_step = 12; }) ==
            "the plan: its sections have 12 steps of 9");
    REQUIRE(problem([](LaunchPlan& plan) { plan.sections.clear(); }) == "the plan: its sections have 0 steps of 9");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[3].ranges[1].end = 10; }) ==
            "step 3: its ranges leave the section");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[0].arguments.pop_back(); }) ==
            "step 0: 'kernel' takes 3 arguments, not 2");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[2].attributes[0].ints.clear(); }) ==
            "step 2: attribute 'attribute 0' holds 0 values instead of one");
    REQUIRE(problem([](LaunchPlan& plan) { plan.weights[0].member = "../secret"; }) ==
            "weight 0: '../secret' is not the name of a file beside the plan");
    REQUIRE(problem([](LaunchPlan& plan) { plan.images[0].member = ""; }) ==
            "image 0: '' is not the name of a file beside the plan");
    REQUIRE(problem([](LaunchPlan& plan) { plan.inputs = {1}; }) ==
            "the plan: value 1 is an input, and lives elsewhere");
    const LaunchPlan nested = damaged([](LaunchPlan& plan) {
        plan.steps[4] = step_of(StepKind::Choose, 1, {}, {});
        plan.steps[4].choice = 4;
        plan.steps[4].ranges = {{5, 6}};
    });
    REQUIRE(problem_of(nested) == "step 4: its ranges leave the one that it stands in");
}

TEST_CASE("bodies that do not fit to their steps are refused") {
    const auto problem = [](const auto& damage) { return problem_of(damaged(damage)); };
    REQUIRE(problem([](LaunchPlan& plan) { plan.bodies[2].steps[0].writes = {9}; }) ==
            "body 2, step 0: value 9 is not a row of a table of 5");
    REQUIRE(problem([](LaunchPlan& plan) { plan.bodies.pop_back(); }) ==
            "body 2, step 0: body 4 is not the next one of 4");
    REQUIRE(problem([](LaunchPlan& plan) { plan.bodies.push_back(plan.bodies[0]); }) == "body 5: no step makes it");
    REQUIRE(problem([](LaunchPlan& plan) {
                plan.bodies[2].steps[0].bodies = {2, 2};
            }) == "body 2, step 0: body 2 is not the next one of 5");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[7].bodies = {0}; }) ==
            "step 7: it has no two branches, or no condition");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[7].reads[0] = 0; }) == "step 7: its condition is not of bool");
    REQUIRE(problem([](LaunchPlan& plan) { plan.bodies[1].outputs.clear(); }) ==
            "step 7: its body makes 0 values, and it wants 1");
    REQUIRE(problem([](LaunchPlan& plan) { plan.bodies[0].values[0].dtype = "int64"; }) ==
            "step 7: what its body takes is of another type or rank than 'x'");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[8].carried = 3; }) ==
            "step 8: it carries 3 values, and has fewer");
    REQUIRE(problem([](LaunchPlan& plan) { plan.bodies[2].outputs[2] = 0; }) ==
            "step 8: what its body makes is of another type or rank than 'stacked'");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[8].has_condition = false; }) ==
            "step 8: its body takes 4 values, and it gives 5");
    LaunchPlan deep = full_plan();
    for (std::size_t i = 0; i < hidet::artifact::most_nested; ++i) { // in the last branch of all
        PlanBody body = deep.bodies[2];
        body.inputs = {2};
        body.values.push_back(
            {.name = "c", .dtype = "bool", .shape = {}, .place = hidet::artifact::Place::Host, .bytes = 1});
        body.outputs = {4};
        body.steps[0].reads = {5, 2};
        const auto last = static_cast<Row>(deep.bodies.size());
        body.steps[0].bodies = {last, last + 1};
        const PlanBody leaf = deep.bodies.front();
        deep.bodies.back() = body;
        deep.bodies.insert(deep.bodies.end(), 2, leaf);
    }
    REQUIRE(problem_of(deep) == "body 129: it stands in more than 64 others");
}

TEST_CASE("damaged bytes are errors, or plans that are well formed") {
    std::mt19937 random(7);
    const std::string bytes = to_bytes(full_plan());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        REQUIRE(!plan_from_bytes(bytes.substr(0, size)).ok());
    REQUIRE(!plan_from_bytes(bytes + "x").ok());
    for (int round = 0; round < 4000; ++round) {
        std::string bad = bytes;
        for (unsigned i = 0; i <= round % 3u; ++i)
            bad[random() % bad.size()] = static_cast<char>(random());
        if (const auto read = plan_from_bytes(bad); read.ok())
            REQUIRE(problem_of(read.value()) == "");
    }
}

TEST_CASE("expressions are evaluated as Python counts") {
    const auto at = [](ExprOp op, std::int64_t a, std::int64_t b) {
        return value_of({{ExprOp::Constant, a}, {ExprOp::Constant, b}, {op}});
    };
    REQUIRE(at(ExprOp::FloorDiv, -5, 4) == -2);
    REQUIRE(at(ExprOp::CeilDiv, -5, 4) == -1);
    REQUIRE(at(ExprOp::CeilDiv, 5, 4) == 2);
    REQUIRE(at(ExprOp::FloorMod, -5, 4) == 3);
    REQUIRE(at(ExprOp::Mod, -5, 4) == -1);
    REQUIRE(at(ExprOp::Div, -5, 4) == -1);
    REQUIRE(at(ExprOp::FloorDiv, 4, 0) == -99);
    REQUIRE(at(ExprOp::Div, INT64_MIN, -1) == -99);
    REQUIRE(at(ExprOp::Mul, std::int64_t{1} << 32, std::int64_t{1} << 32) == -99);
    REQUIRE(at(ExprOp::Shl, 3, 2) == 12);
    // The side that is not taken need not have a value.
    const Expression guarded = {{ExprOp::Symbol, 0}, {ExprOp::Constant, 1}, {ExprOp::Symbol, 1}, {ExprOp::Select}};
    REQUIRE(value_of(guarded, {1, std::nullopt}) == 1);
    REQUIRE(value_of(guarded, {0, std::nullopt}) == -99);
}

TEST_CASE("expressions are shown as Python writes them") {
    const LaunchPlan plan = full_plan();
    REQUIRE(extents_text(plan, {0, 1, 3}) == "[4, batch size, batch size * 4]");
    const std::vector<Expression> table = {
        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 255}, {ExprOp::Add}},
        {{ExprOp::Earlier, 0}, {ExprOp::Constant, 256}, {ExprOp::FloorDiv}, {ExprOp::Constant, -1}, {ExprOp::Max}},
        {{ExprOp::Symbol, 0},
         {ExprOp::Real},
         {ExprOp::Constant, std::bit_cast<std::int64_t>(1.5)},
         {ExprOp::RealMul},
         {ExprOp::RealFloor},
         {ExprOp::Whole}}};
    REQUIRE(text_of(table, 1, {"n"}) == "max((n + 255) // 256, -1)");
    REQUIRE(text_of(table, 2, {"n"}) == "whole(floor(real(n) * 1.5))");
}
