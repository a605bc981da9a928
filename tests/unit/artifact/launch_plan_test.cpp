// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/launch_plan.h"

#include <bit>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <random>

#include "compiler/artifact/plan_json.h"

using namespace hidet::artifact;

namespace {

PlanStep step_of(StepKind kind, std::uint32_t section, std::vector<Row> reads, std::vector<Row> writes) {
    PlanStep step;
    step.kind = kind;
    step.section = section;
    step.reads = std::move(reads);
    step.writes = std::move(writes);
    return step;
}

// One row of everything, and every kind of step, argument and attribute.
LaunchPlan full_plan() {
    LaunchPlan plan;
    plan.name = "all of it \"quoted\"\n";
    plan.target = "cuda";
    plan.symbols = {{"batch size", 0, 0, 1, 64}, {"count", 4, 0}};
    plan.expressions = {
        {{ExprOp::Constant, 4}},
        {{ExprOp::Symbol, 0}},
        {{ExprOp::Symbol, 1}},
        {{ExprOp::Earlier, 1}, {ExprOp::Constant, 4}, {ExprOp::Mul}},
        {{ExprOp::Earlier, 3}, {ExprOp::Constant, INT64_MIN}, {ExprOp::Lt}},
        {{ExprOp::Symbol, 0},
         {ExprOp::Real},
         {ExprOp::Constant, std::bit_cast<std::int64_t>(1.5)},
         {ExprOp::RealMul},
         {ExprOp::RealF32},
         {ExprOp::RealFloor},
         {ExprOp::Whole}},
    };
    plan.weights = {{"weights.bin", 256, 16, "float32", {4}, {1}}, {"", 0, UINT64_MAX / 2, "int64", {}, {}}};
    plan.values = {
        {.name = "x", .dtype = "float32", .shape = {1}, .place = Place::Input, .bytes = 3},
        {.name = "w", .dtype = "float32", .shape = {0}, .place = Place::Constant, .bytes = 0, .weight = 0},
        {.name = "t",
         .dtype = "float32",
         .shape = {1},
         .place = Place::Arena,
         .bytes = 3,
         .offset = 0,
         .first_step = 0,
         .last_step = 2},
        {.name = "view", .dtype = "float32", .shape = {1, 0}, .place = Place::Alias, .bytes = 3, .of = 2},
        {.name = "some", .dtype = "int64", .shape = {2}, .place = Place::Host, .bytes = 3, .first_step = 2},
        {.name = "y", .dtype = "float32", .shape = {1}, .place = Place::Output, .bytes = 3, .first_step = 3},
    };
    plan.inputs = {0};
    plan.outputs = {5, 0};
    plan.modules = {{"0123456789abcdef"}};
    plan.functions = {
        {0, "kernel", "hidet_kernel", {{"a", Scalar::F32, true}, {"n", Scalar::I64}, {"m", Scalar::F16, true}}},
        {0, "launch", "", {}}};
    plan.images = {{0, ImageKind::Cubin, "sm_90a", "0.cubin"}, {0, ImageKind::CpuObject, "x86-64-v3", "0.so"}};
    plan.maps = {{"float16", {0, 3}, {3}, {64, 8}, {1, 1}, 128, true, true}};
    plan.sections = {{0, 3, 3, 0}, {3, 7, 3, no_row}};
    PlanStep launch = step_of(StepKind::Launch, 0, {0, 1}, {2});
    launch.function = 0;
    launch.arguments = {{.value = 0, .expression = 0},
                        {.kind = ArgumentKind::Scalar, .expression = 1, .type = Scalar::I64},
                        {.kind = ArgumentKind::TensorMap, .value = 1, .map = 0}};
    launch.grid = launch.block = launch.cluster = {0, 1, 0};
    launch.dynamic_shared = 3;
    launch.overlaps = true;
    launch.kernels = {"kernel"};
    launch.operators = {"/a/b", "c"};
    PlanStep host = step_of(StepKind::Host, 0, {2}, {4});
    host.op = HostOperator::TopK;
    host.attributes.resize(10);
    for (std::size_t i = 0; i < 10; ++i) {
        host.attributes[i].name = "attribute " + std::to_string(i);
        host.attributes[i].kind = static_cast<AttributeKind>(i);
    }
    host.attributes[0].ints = {1};
    host.attributes[1].ints = {-1};
    host.attributes[2].reals = {-std::numeric_limits<double>::infinity()};
    host.attributes[3].texts = {"constant"};
    host.attributes[4].texts = {"float16"};
    host.attributes[5].ints = {1, 2};
    host.attributes[6].reals = {0.1, 1e300};
    host.attributes[7].texts = {"a", ""};
    host.attributes[8].rows = {0, 1};
    host.attributes[9].rows = {1};
    PlanStep copy = step_of(StepKind::Copy, 1, {2}, {5});
    copy.bytes = 3;
    PlanStep fill = step_of(StepKind::Fill, 1, {}, {5});
    fill.bytes = 3;
    fill.fill = 255;
    PlanStep choose = step_of(StepKind::Choose, 1, {}, {});
    choose.choice = 4;
    choose.ranges = {{4, 5}, {5, 7}};
    PlanStep call = step_of(StepKind::Call, 1, {3}, {5});
    call.function = 1;
    call.arguments = {{.value = 3}, {.value = 5}};
    plan.steps = {launch, call, host, choose, copy, fill, call};
    plan.steps[1].section = 0;
    plan.requirements = {{4, "'Add' takes {}, not {}", {3, 1}}};
    return plan;
}

LaunchPlan damaged(const std::function<void(LaunchPlan&)>& damage) {
    LaunchPlan plan = full_plan();
    damage(plan);
    return plan;
}

std::int64_t value_of(Expression expression, std::vector<ExprValue> symbols = {}) {
    return evaluate({std::move(expression)}, symbols).front().value_or(-99);
}

} // namespace

TEST_CASE("a plan reads back from JSON and from bytes") {
    const LaunchPlan plan = full_plan();
    REQUIRE(problem_of(plan) == "");
    const auto from_json = plan_from_json(to_json(plan));
    REQUIRE((from_json.ok() ? "" : from_json.error().message) == "");
    REQUIRE(from_json.value() == plan);
    const auto from_bytes = plan_from_bytes(to_bytes(plan));
    REQUIRE((from_bytes.ok() ? "" : from_bytes.error().message) == "");
    REQUIRE(from_bytes.value() == plan);
    REQUIRE(to_json(from_bytes.value()) == to_json(plan));
}

TEST_CASE("another version is refused with both numbers") {
    LaunchPlan plan = full_plan();
    plan.version = 7;
    for (const auto& read : {plan_from_json(to_json(plan)), plan_from_bytes(to_bytes(plan))}) {
        REQUIRE(read.error().code == "plan-version");
        REQUIRE(read.error().message == "it is a plan of version 7, and this program reads version 1");
    }
}

TEST_CASE("a plan that breaks a rule is refused by the name of what is wrong") {
    const auto problem = [](const auto& damage) { return problem_of(damaged(damage)); };
    REQUIRE(problem([](LaunchPlan& plan) { plan.values[3].of = 99; }) == "value 3: value 99 is no row of a table of 6");
    REQUIRE(problem([](LaunchPlan& plan) { plan.values[3].of = 3; }) == "value 3: it is an alias of an alias");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[3].pop_back(); }) ==
            "expression 3: it leaves 2 values instead of one");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[0] = {{ExprOp::Add}}; }) ==
            "expression 0: '+' lacks operands");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[3][0].operand = 3; }) ==
            "expression 3: it uses expression 3, which does not stand before it");
    REQUIRE(problem([](LaunchPlan& plan) { plan.expressions[1][0].operand = -1; }) ==
            "expression 1: symbol 18446744073709551615 is no row of a table of 2");
    REQUIRE(problem([](LaunchPlan& plan) { plan.sections[1].end_step = 9; }) ==
            "the plan: its sections have 9 steps of 7");
    REQUIRE(problem([](LaunchPlan& plan) { plan.sections.clear(); }) == "the plan: its sections have 0 steps of 7");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[3].ranges[1].end = 8; }) ==
            "step 3: its ranges leave the section");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[0].arguments.pop_back(); }) ==
            "step 0: 'kernel' takes 3 arguments, not 2");
    REQUIRE(problem([](LaunchPlan& plan) { plan.steps[2].attributes[0].ints.clear(); }) ==
            "step 2: attribute 'attribute 0' holds 0 values instead of one");
    REQUIRE(problem([](LaunchPlan& plan) { plan.weights[0].member = "../secret"; }) ==
            "weight 0: '../secret' is no name of a file beside the plan");
    REQUIRE(problem([](LaunchPlan& plan) { plan.images[0].member = ""; }) ==
            "image 0: '' is no name of a file beside the plan");
    REQUIRE(problem([](LaunchPlan& plan) { plan.inputs = {1}; }) ==
            "the plan: value 1 is an input, and lives elsewhere");
    const LaunchPlan nested = damaged([](LaunchPlan& plan) {
        plan.steps[4] = step_of(StepKind::Choose, 1, {}, {});
        plan.steps[4].choice = 4;
        plan.steps[4].ranges = {{5, 6}};
    });
    REQUIRE(problem_of(nested) == "step 4: its ranges leave the one that it stands in");
}

TEST_CASE("JSON that is no plan is refused with the place") {
    const auto message = [](const std::string& from, const std::string& to) {
        std::string text = to_json(full_plan());
        text.replace(text.find(from), from.size(), to);
        const auto read = plan_from_json(text);
        return read.ok() ? "" : read.error().message;
    };
    REQUIRE(message("\"target\": \"cuda\"", "\"target\": 3") == "it is damaged: plan.target is no text");
    REQUIRE(message("\"place\":\"arena\"", "\"place\":\"attic\"") ==
            "it is damaged: plan.values[2].place is \"attic\", which is none of its names");
    REQUIRE(message("\"of\":2", "\"of\":-2") == "it is damaged: plan.values[3].of is -2, which does not fit");
    REQUIRE(message("\"of\":2", "\"off\":2") == "it is damaged: plan.values[3] has a field of another kind of row");
    REQUIRE(message("\"*\"]", "\"by\"]") == "it is damaged: plan.expressions[3][2] has 'by', which is no operator");
    REQUIRE(plan_from_json("[]").error().message == "it is no JSON object");
    REQUIRE(plan_from_json(std::string(100'000, '[')).error().message == "it is no JSON object");
    REQUIRE(plan_from_json("{}").error().message == "it is no launch plan");
    REQUIRE(is_plan_json(to_json(full_plan())));
    REQUIRE(!is_plan_json("{\"format\": 3}"));
    REQUIRE(!is_plan_json("\"format\""));
    REQUIRE(plan_from_json("{\"format\": \"hidet-launch-plan\"}").error().message ==
            "it is damaged: the plan: it has no section");
}

TEST_CASE("damaged bytes and texts are errors, or plans that are well formed") {
    std::mt19937 random(7);
    const std::string bytes = to_bytes(full_plan());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        REQUIRE(!plan_from_bytes(bytes.substr(0, size)).ok());
    REQUIRE(!plan_from_bytes(bytes + "x").ok());
    for (const std::string& good : {bytes, to_json(full_plan())})
        for (int round = 0; round < 4000; ++round) {
            std::string bad = good;
            for (unsigned i = 0; i <= round % 3u; ++i)
                bad[random() % bad.size()] = static_cast<char>(random());
            for (const auto& read : {plan_from_bytes(bad), plan_from_json(bad)})
                if (read.ok())
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
