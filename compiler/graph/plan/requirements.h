// SPDX-License-Identifier: Apache-2.0
// What a run has to check before it computes anything.
#pragma once

#include "compiler/graph/core/graph.h"
#include "compiler/graph/plan/expressions.h"

namespace hidet::graph {

void add_requirements(const Graph& graph, artifact::LaunchPlan& plan, Expressions& expressions);

} // namespace hidet::graph
