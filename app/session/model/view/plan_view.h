// SPDX-License-Identifier: Apache-2.0
// Kernels, blockers, steps and memory as plain values.
#pragma once

#include "app/session/model/predictor.h"
#include "app/session/model/stages.h"
#include "app/session/model/view/graph_index.h"

namespace hidet::session {

// Of a kernel, for whatever extents are assumed.
struct KernelCost {
    double flops = 0, bytes = 0;
    bool is_launched = false; // else the host does it, or nothing is to be done
    bool is_half_product = false;

    Need need(std::size_t launches) const { return {flops, bytes, launches, is_half_product}; }
};

// Of a graph whose groups are formed.
std::vector<KernelCost> fill_kernels(ModelGraph& out, ModelGraph::Index& index, const ModelStages& stages,
                                     const Predictor& predictor);
// Of the last graph; everything is one launch until it is planned.
ModelTotals totals_of(const ModelGraph& graph, const std::vector<KernelCost>& costs, const Predictor& predictor);

// What is known once the model is planned: of the last graph the names of kernels and blockers within groups, and the rest.
void fill_plan(ModelSnapshot& snapshot, ModelGraph& last, const std::vector<KernelCost>& costs,
               const ModelStages& stages, const Predictor& predictor);

} // namespace hidet::session
