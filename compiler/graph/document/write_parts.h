// SPDX-License-Identifier: Apache-2.0
// Pieces of the document, each one line of JSON.
#pragma once

#include <string>

#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"
#include "compiler/graph/names/keys.h"

namespace hidet::graph {

// Constants of up to this many elements stand in the document.
inline constexpr std::int64_t most_inline_elements = 64;

// `sources`: of the sites of nodes; null: they are not said.
std::string json_of_node(const Graph& graph, NodeId node, const NodeKeys& keys, const SourceMap* sources = nullptr);
std::string json_of_value(const Graph& graph, ValueId value);
// {"inputs", "outputs", "values", "nodes"} with all live nodes and the values that they touch.
std::string json_of_graph(const Graph& graph, const NodeKeys& keys, const SourceMap* sources = nullptr);
std::string json_list(const std::vector<std::string>& lines); // one a line
std::string json_of_blockers(const std::vector<Blocker>& blockers, const NodeKeys& keys);

template <class T>
std::string json_ids(const std::vector<T>& ids) {
    std::string text = "[";
    for (T id : ids)
        text += (text.size() > 1 ? ", " : "") + std::to_string(id.index);
    return text + "]";
}

} // namespace hidet::graph
