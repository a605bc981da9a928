// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/index_checks.h"

#include <algorithm>
#include <optional>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/plan/plan.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

using namespace graph;

namespace {

// The input that an operand is, which holds its elements in the same order.
ValueId origin_of(const Graph& graph, ValueId id) {
    while (graph.value(id).producer.valid()) {
        const Node& node = graph.node(graph.value(id).producer);
        if (!node.is(OpId::Cast) && !node.op->shares_memory)
            break;
        id = node.inputs[0];
    }
    return id;
}

// What the elements of the second operand index: one extent, or those of the coordinates in a row.
Shape indexed_extents(const Graph& graph, const Node& node) {
    if (!node.is_any_of({OpId::Take, OpId::Gather, OpId::IdxSel, OpId::GatherND}))
        return {};
    const Shape& from = graph.value(node.inputs[0]).spec.shape;
    if (node.is_any_of({OpId::Take, OpId::Gather}))
        return {from[static_cast<std::size_t>(normalise_axis(node.get<std::int64_t>("axis"), from.size(), "axis"))]};
    if (node.is(OpId::IdxSel))
        return {from[static_cast<std::size_t>(normalise_axis(node.get<std::int64_t>("dim"), from.size(), "dim"))]};
    const auto first = from.begin() + node.get<std::int64_t>("batch_dims");
    const Shape& indices = graph.value(node.inputs[1]).spec.shape;
    return Shape(first, first + static_cast<std::ptrdiff_t>(constant_of(indices.back()).value_or(0)));
}

std::string place_text(std::size_t index, const std::vector<std::int64_t>& shape) {
    std::string text;
    auto rest = static_cast<std::int64_t>(index);
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
        text = cat(rest % shape[d], text.empty() ? "" : ", ", text);
    return text.empty() ? "" : cat("[", text, "]");
}

} // namespace

void check_indices(const Graph& graph, const Tensors& inputs, const SymbolValues& symbols) {
    for (const NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        const Shape extents = indexed_extents(graph, node);
        const auto is_bound = [&](const std::string& name) { return symbols.contains(name); };
        if (extents.empty() || !std::ranges::all_of(symbols_of(extents), is_bound))
            continue; // or it is the run that finds the extent out
        const auto input = std::ranges::find(graph.inputs, origin_of(graph, node.inputs[1]));
        if (input == graph.inputs.end())
            continue;
        std::vector<std::int64_t> limits;
        for (const Dim& each : extents)
            limits.push_back(value_of(each, symbols));
        const lang::Tensor& given = *inputs[static_cast<std::size_t>(input - graph.inputs.begin())];
        if (!given.has_data() || !ir::is_integer(given.dtype))
            continue;
        const lang::Integers indices = lang::read_integers(given);
        for (std::size_t i = 0; i < indices.size(); ++i)
            if (const std::int64_t limit = limits[i % limits.size()]; indices[i] < -limit || indices[i] >= limit)
                throw OpError(cat("'", graph.value(*input).name, "'", place_text(i, given.shape), " is ", indices[i],
                                  ", which is outside of the extent ", limit, " that '", name_of(graph, id),
                                  "' takes an element of"));
    }
}

} // namespace hidet::session
