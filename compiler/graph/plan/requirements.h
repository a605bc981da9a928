// SPDX-License-Identifier: Apache-2.0
// What a run has to check before it computes anything.
#pragma once

#include "compiler/graph/core/graph.h"
#include "compiler/graph/plan/expressions.h"

namespace hidet::graph {

// A message, in which a pair of braces stands for no value.
std::string braces_escaped(std::string text);

void add_requirements(const Graph& graph, artifact::PlanBody& body, Expressions& expressions);

} // namespace hidet::graph
