// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/indices.h"

#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

std::string place_text(std::size_t index, const std::vector<std::int64_t>& shape) {
    std::string text;
    auto rest = static_cast<std::int64_t>(index);
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
        text = cat(rest % shape[d], text.empty() ? "" : ", ", text);
    return text.empty() ? "" : cat("[", text, "]");
}

IndexLimits limits_of(const Indexing& indexing) {
    const auto extents = constant_shape(indexing.extents);
    HIDET_CHECK(extents, "extents that are not known");
    return {*extents, indexing.is_from_end, indexing.ignored};
}

} // namespace

ValueId given_as(const Graph& graph, ValueId value) {
    while (graph.value(value).producer.valid()) {
        const Node& node = graph.node(graph.value(value).producer);
        if (!node.is(OpId::Cast) && !node.op->shares_memory)
            break;
        value = node.inputs[0];
    }
    return value;
}

void check_indices(const lang::Tensor& indices, const IndexLimits& limits, const std::string& name,
                   const std::string& reader) {
    const std::vector<std::int64_t>& extents = limits.extents;
    if (extents.empty() || !indices.has_data() || !ir::is_integer(indices.dtype))
        return;
    const lang::Integers values = lang::read_integers(indices);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t extent = extents[i % extents.size()];
        const std::int64_t least = limits.is_from_end ? -extent : 0;
        if ((values[i] < least || values[i] >= extent) && values[i] != limits.ignored)
            throw OpError("'", name, "'", place_text(i, indices.shape), " is ", values[i],
                          ", which is outside of the extent ", extent, " that ", reader, " indexes");
    }
}

void check_indices(const OpCall& call, const std::vector<lang::TensorRef>& inputs) {
    if (!call.op->indexes)
        return;
    for (const Indexing& each : call.op->indexes(call))
        check_indices(*inputs[each.operand], limits_of(each), "indices", cat("'", call.op->python, "'"));
}

} // namespace hidet::graph
