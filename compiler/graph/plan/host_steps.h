// SPDX-License-Identifier: Apache-2.0
// Operators on host memory as steps of a launch plan, and back.
#pragma once

#include "compiler/graph/core/graph.h"
#include "compiler/graph/plan/expressions.h"

namespace hidet::graph {

// Sets the step's operator, one of the closed list, and attributes.
void describe_host(const Node& node, artifact::PlanStep& step, artifact::LaunchPlan& plan, Expressions& expressions,
                   std::vector<lang::TensorRef>& weights);

// The operator with its attributes; those that are shapes have the values of the expressions.
OpCall host_call(const artifact::PlanStep& step, const std::vector<artifact::ExprValue>& expressions,
                 const std::vector<lang::TensorRef>& weights);

// A dense tensor of the host as a weight that the process holds.
artifact::PlanWeight weight_of(const lang::Tensor& tensor);

} // namespace hidet::graph
