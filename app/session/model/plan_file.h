// SPDX-License-Identifier: Apache-2.0
// Launch plans as files: PLAN.json, and beside it the weights (PLAN.weights.bin) and the compiled functions: PLAN.0.so, ... of
// a plan for the CPU, PLAN.0.sm_90a.cubin, ... of one for GPUs, which launches its kernels itself. What reads one back needs
// no model and no compiler.
#pragma once

#include "app/session/execute/executor.h"
#include "app/session/model/model.h"
#include "app/session/plan/plan_runner.h"
#include "compiler/graph/plan/plan.h"

namespace hidet::session {

struct PlanFileOptions {
    std::string path;                       // of PLAN.json
    std::vector<std::string> architectures; // that kernels are compiled for: "sm_90a"; none: that of the plan's target
};

// Compiles the plan's programs for its target, and writes all of it. False: the work says why.
bool write_plan(Work& work, const ModelRequest& request, const graph::CompiledGraph& compiled,
                const PlanFileOptions& options);

// One that this program runs. Null: the work says why.
std::shared_ptr<const artifact::LaunchPlan> read_plan(Work& work, const std::string& path, const std::string& text);

// With its weights and functions, and what runs them.
struct LoadedPlan {
    std::unique_ptr<Executor> executor; // outlives the parts
    PlanParts parts;
};
// The request, for the plan's target, outlives what is returned. Nothing: the work says why.
std::optional<LoadedPlan> load_plan(Work& work, const RunRequest& request, const std::string& path,
                                    std::shared_ptr<const artifact::LaunchPlan> plan);

} // namespace hidet::session
