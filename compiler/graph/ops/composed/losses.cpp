// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/losses.h"

namespace hidet::graph {

CrossEntropy softmax_cross_entropy(Graph& graph, ValueId x, ValueId targets, std::optional<ValueId> weights,
                                   Attributes attributes, const NodeOrigin& origin) {
    const ValueId logs = graph.add_one(op_info::LogSoftmax(), {x}, {{"axis", std::int64_t{1}}}, origin);
    std::vector<ValueId> inputs = {logs, targets};
    if (weights)
        inputs.push_back(*weights);
    const ValueId loss = graph.add_one(op_info::NegativeLogLikelihoodLoss(), inputs, std::move(attributes), origin);
    return {loss, logs};
}

} // namespace hidet::graph
