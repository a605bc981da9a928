// SPDX-License-Identifier: Apache-2.0
// Nodes and values of a graph as plain values.
#pragma once

#include "app/session/model/predictor.h"
#include "app/session/model/view/graph_index.h"
#include "lang/base/source.h"

namespace hidet::session {

// Fills nodes, values, inputs, outputs, what is added, removed and rewired, and the index's graph and places; matches are
// those of the pass. What is as in the graph before is shared with it.
void fill_graph(ModelGraph& out, ModelGraph::Index& index, std::shared_ptr<const graph::Graph> graph,
                const ModelGraph* before, const Predictor& predictor, const SourceMap& sources);

} // namespace hidet::session
