// SPDX-License-Identifier: Apache-2.0
// Operators on host memory that launch plans name.
#pragma once

#include "app/session/plan/plan_runner.h"
#include "compiler/graph/plan/plan.h"

namespace hidet::session {

// Those of the closed list (runtime/package/host_operators.def). The plan has no operators of another process.
HostOperators listed_operators();

// And those that only the graph knows, which outlives them: a script's own, and those with graphs of their own (OnnxIf,
// OnnxLoop).
HostOperators operators_of(const graph::CompiledGraph& compiled);

} // namespace hidet::session
