// SPDX-License-Identifier: Apache-2.0
// Which operator of a run is the first to be wrong.
#pragma once

#include <map>
#include <optional>

#include "app/session/model/stages.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

// Elements of values of the imported graph, by id.
using ReferenceValues = std::map<std::uint32_t, lang::Doubles>;

// The model as it was imported, each operator for itself, in float64 on the CPU. Nothing: the work says why.
std::optional<ReferenceValues> reference_values(Work& work, const ModelRequest& request, const graph::Graph& imported,
                                                const Tensors& inputs, const std::vector<graph::ValueId>& wanted);

// Values of a compiled graph that the imported one has too: by value, which of the imported ones.
std::map<std::uint32_t, graph::ValueId> comparable_values(const graph::Graph& imported,
                                                          const graph::CompiledGraph& compiled);

struct NodeComparison {
    std::vector<ModelNodeError> rows; // in the order of the run
    std::size_t not_compared = 0;     // values that the reference lacks
};
// Runs a model that is built step by step beside its reference. `folder`: where the values are written that are compared, as
// long as there is room; empty: nowhere. Nothing: the work says why.
std::optional<NodeComparison> compare_nodes(Work& work, const ModelRequest& request, GraphRunner& built,
                                            const graph::Graph& imported, const Tensors& inputs,
                                            const ReferenceValues& reference, const std::string& folder);

} // namespace hidet::session
