// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/convolution.h"

#include "compiler/graph/ops/composed/norms.h"
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

namespace {

ValueId with_bias(Graph& graph, const OpInfo& op, ValueId x, ValueId w, std::optional<ValueId> bias,
                  Attributes attributes, const NodeOrigin& origin) {
    const ValueId y = graph.add_one(op, {x, w}, std::move(attributes), origin);
    if (!bias)
        return y;
    const std::size_t rank = graph.value(y).spec.shape.size();
    return graph.add_one(op_info::Add(), {y, per_channel(graph, *bias, rank, origin)}, {}, origin);
}

std::size_t spatial_rank(Graph& graph, ValueId w) {
    const std::size_t rank = graph.value(w).spec.shape.size();
    return rank < 2 ? 0 : rank - 2;
}

} // namespace

ValueId convolution(Graph& graph, ValueId x, ValueId w, std::optional<ValueId> bias, Attributes attributes,
                    const NodeOrigin& origin) {
    return with_bias(graph, convolution_op(spatial_rank(graph, w)), x, w, bias, std::move(attributes), origin);
}

ValueId transposed_convolution(Graph& graph, ValueId x, ValueId w, std::optional<ValueId> bias, Attributes attributes,
                               const NodeOrigin& origin) {
    return with_bias(graph, transposed_convolution_op(spatial_rank(graph, w)), x, w, bias, std::move(attributes),
                     origin);
}

} // namespace hidet::graph
