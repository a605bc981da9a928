// SPDX-License-Identifier: Apache-2.0
// Branches and loops as steps of a launch plan.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/artifact/launch_plan.h"
#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// What a step makes the body of.
struct BodyGraph {
    std::shared_ptr<const Graph> graph;
    std::string problem; // of a branch that fits to no tensors that it can meet: it is refused when it is taken
};

// Sets the step's kind, and how it uses what it reads; its bodies are the caller's. None: the node has no graphs.
std::vector<BodyGraph> describe_control(const Node& node, artifact::PlanStep& step);

// The body of such a branch: it takes and makes what the step gives and wants.
artifact::PlanBody refusing_body(const artifact::PlanBody& outer, const artifact::PlanStep& step,
                                 const std::string& problem);

} // namespace hidet::graph
