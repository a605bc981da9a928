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
        {0, "kernel", "hidet_kernel", {{"a", Scalar::F32, true}, {"n", Scalar::I64}, {"m", Scalar::F16, true}}},
        {0, "launch", "", {}}};
    plan.images = {{0, ImageKind::Cubin, "sm_90a", "0.cubin", {{0, 40, 16, 1024}}, "0a1b"},
                   {0, ImageKind::CpuObject, "x86-64-v3", "0.so", {}, ""}};
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

} // namespace hidet::test
