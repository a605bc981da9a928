// SPDX-License-Identifier: Apache-2.0
// Launch plans as files: PLAN.json, and beside it the weights (PLAN.weights.bin) and the compiled functions (PLAN.0.so, ...).
// What reads one back needs no model and no compiler.
#pragma once

#include "app/session/execute/native.h"
#include "app/session/model/model.h"
#include "app/session/plan/plan_runner.h"
#include "compiler/graph/plan/plan.h"

namespace hidet::session {

// Compiles the plan's programs for the CPU, and writes all of it. False: the work says why.
bool write_plan(Work& work, const ModelRequest& request, const graph::Plan& plan, const std::string& path);

// The plan with its weights and functions. Nothing: the work says why.
std::optional<PlanParts> load_plan(Work& work, const std::string& path, const std::string& text, Executor& native);

} // namespace hidet::session
