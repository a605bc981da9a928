// SPDX-License-Identifier: Apache-2.0
// A lowering of single operators that tests of what comes after it may rely on: loops in a public function of the CPU, in
// the order of the compute definition. Only for tasks whose stages are all outputs.
#pragma once

#include "compiler/graph/plan/plan.h"

namespace hidet::test {

graph::GroupProgram lower_naively(const graph::Graph& graph, const graph::Group& group,
                                  const artifact::TargetSpec& target);

// Each operator for itself, in topological order.
graph::Partition one_group_each(const graph::Graph& graph);

} // namespace hidet::test
