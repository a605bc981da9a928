// SPDX-License-Identifier: Apache-2.0
// Kernels, refusals, steps and memory as plain values.
#pragma once

#include "app/session/model/graph_index.h"
#include "app/session/model/predictor.h"
#include "app/session/model/stages.h"

namespace hidet::session {

// Of a graph whose groups are formed.
void fill_kernels(ModelGraph& out, ModelGraph::Index& index, const ModelStages& stages, const Predictor& predictor);
// Of the last graph; everything is a launch until it is planned.
ModelTotals totals_of(const ModelGraph& graph, const ModelStages& stages, const Predictor& predictor);

// What is known once the model is planned: of the last graph the names of kernels and refusals within groups, and the rest.
void fill_plan(ModelSnapshot& snapshot, ModelGraph& last, const ModelStages& stages, const Predictor& predictor);

} // namespace hidet::session
