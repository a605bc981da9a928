// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/index_checks.h"

#include <algorithm>
#include <optional>

#include "compiler/graph/core/indices.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/plan/plan.h"
#include "lang/base/text.h"

namespace hidet::session {

using namespace graph;

namespace {

// Nothing where it is the run that finds an extent out.
std::optional<IndexLimits> limits_of(const Indexing& indexing, const SymbolValues& symbols) {
    IndexLimits limits{{}, indexing.is_from_end, indexing.ignored};
    if (!std::ranges::all_of(graph::symbols_of(indexing.extents),
                             [&](const std::string& name) { return symbols.contains(name); }))
        return std::nullopt;
    for (const Dim& each : indexing.extents)
        limits.extents.push_back(value_of(each, symbols));
    return limits;
}

} // namespace

void check_indices(const Graph& graph, const Tensors& inputs, const SymbolValues& symbols) {
    for (const NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        if (!node.op->indexes)
            continue;
        for (const Indexing& each : node.op->indexes(graph.call_of(id))) {
            const ValueId origin = given_as(graph, node.inputs[each.operand]);
            const auto input = std::ranges::find(graph.inputs, origin);
            const std::optional<IndexLimits> limits = limits_of(each, symbols);
            if (limits && input != graph.inputs.end())
                check_indices(*inputs[static_cast<std::size_t>(input - graph.inputs.begin())], *limits,
                              graph.value(origin).name, cat("'", name_of(graph, id), "'"));
        }
    }
}

} // namespace hidet::session
