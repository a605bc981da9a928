// SPDX-License-Identifier: Apache-2.0
// A launch plan with one row of everything, and every kind of step, argument and attribute.
#pragma once

#include <bit>
#include <limits>

#include "compiler/artifact/launch_plan.h"

namespace hidet::test {

using namespace artifact;

inline PlanStep step_of(StepKind kind, std::uint32_t section, std::vector<Row> reads, std::vector<Row> writes) {
    PlanStep step;
    step.kind = kind;
    step.section = section;
    step.reads = std::move(reads);
    step.writes = std::move(writes);
    return step;
}

// A body that makes what it takes.
inline PlanBody passing_body(const std::vector<PlanValue>& given, std::vector<Row> outputs) {
    PlanBody body;
    body.symbols = {{"n", no_row, 0}};
    body.expressions = {{{ExprOp::Symbol, 0}}, {{ExprOp::Constant, 0}}};
    for (const PlanValue& each : given) {
        body.inputs.push_back(static_cast<Row>(body.values.size()));
        const std::vector<Row> shape(each.shape.size(), 0);
        body.values.push_back({.name = each.name, .dtype = each.dtype, .shape = shape, .bytes = 1});
    }
    body.outputs = std::move(outputs);
    body.sections = {{0, 0, 1, no_row}};
    return body;
}

// A branch on one of the plan's values, and a loop with such a branch in it.
inline void add_control(LaunchPlan& plan) {
    const auto value = [&](const char* name, const char* dtype, std::vector<Row> shape) {
        plan.values.push_back(
            {.name = name, .dtype = dtype, .shape = std::move(shape), .place = Place::Host, .bytes = 0});
        return static_cast<Row>(plan.values.size() - 1);
    };
    const Row holds = value("holds", "bool", {}), trips = value("trips", "int64", {}),
              chosen = value("chosen", "float32", {1}), stacked = value("stacked", "float32", {1, 1});
    PlanStep branch = step_of(StepKind::If, 1, {holds, 0}, {chosen});
    branch.bodies = {0, 1};
    PlanStep loop = step_of(StepKind::Loop, 1, {trips, holds, 0, 1}, {chosen, stacked});
    loop.bodies = {2};
    loop.has_trips = loop.has_condition = true;
    loop.carried = 1;
    plan.steps.insert(plan.steps.end(), {branch, loop});
    plan.sections.back().end_step += 2;
    const PlanBody inner = passing_body({plan.values[0]}, {0});
    PlanBody outer = passing_body({plan.values[trips], plan.values[holds], plan.values[0], plan.values[1]}, {1, 4, 3});
    outer.values.push_back({.name = "z", .dtype = "float32", .shape = {0}, .place = Place::Host, .bytes = 1});
    outer.steps = {step_of(StepKind::If, 0, {1, 2}, {4})};
    outer.steps[0].bodies = {3, 4};
    outer.sections[0].end_step = 1;
    plan.bodies = {inner, inner, outer, inner, inner};
}

inline LaunchPlan full_plan() {
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
    plan.weights = {{"weights.bin", 256, 16, "float32", {4}, {1}, "1b2c"},
                    {"", 0, UINT64_MAX / 2, "int64", {}, {}, ""}};
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
        {0, "kernel", "hidet_kernel", {{"a", Scalar::F32, true}, {"n", Scalar::I64}, {"m", Scalar::F16, false, true}}},
        {0, "launch", "", {}}};
    plan.images = {{0, ImageKind::Cubin, "sm_90a", "0.cubin", {{0, 40, 16, 1024}}, "0a1b"},
                   {0, ImageKind::CpuObject, "x86-64-v3", "0.so", {}, ""}};
    plan.maps = {{.element = package::MapElement::F16,
                  .swizzle = 128,
                  .l2_promotion = 256,
                  .extents = {0, 3},
                  .strides = {3},
                  .box = {64, 8},
                  .lower = {},
                  .upper = {},
                  .element_strides = {1, 1}},
                 {.element = package::MapElement::BF16,
                  .interleave = 16,
                  .extents = {0, 3, 3},
                  .strides = {3, 3},
                  .box = {8},
                  .lower = {-1},
                  .upper = {-2},
                  .pixels = 64,
                  .element_strides = {1, 2, 1}}};
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
    add_control(plan);
    return plan;
}

} // namespace hidet::test
