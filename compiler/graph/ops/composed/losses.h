// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

struct CrossEntropy {
    ValueId loss;
    ValueId log_probabilities;
};
// x [n, c, ...], targets [n, ...], weights [c]. Attributes: reduction, ignore_index, as of NegativeLogLikelihoodLoss.
CrossEntropy softmax_cross_entropy(Graph& graph, ValueId x, ValueId targets, std::optional<ValueId> weights,
                                   Attributes attributes, const NodeOrigin& origin = {});

} // namespace hidet::graph
