// SPDX-License-Identifier: Apache-2.0
// What fusing a producer into a kernel that reads it again and again costs on a machine, beside what it saves.
#pragma once

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

struct FusionTimes {
    double again = 0; // seconds: each element is computed for each read, beyond the first
    double kept = 0;  // seconds: it is computed once, in a kernel of its own, written and read back
};

// `cost`: of an element (schedule/cost.h); `evaluations`: how often readers ask for an element of its results. Nothing: there
// are extents that are not known.
std::optional<FusionTimes> fusion_times(const Graph& graph, NodeId producer, double cost, double evaluations,
                                        const artifact::TargetSpec& target);
// Of an operand of attention whose elements are made of several tensors, as a rotation's are.
std::optional<FusionTimes> attention_times(const Graph& graph, NodeId producer, const artifact::TargetSpec& target);
// Of a prologue that reads as the definitions of its readers do: a schedule that keeps tiles may read far less.
std::optional<FusionTimes> fusion_times(const Graph& graph, NodeId producer, NodeId consumer,
                                        const artifact::TargetSpec& target);

} // namespace hidet::graph
