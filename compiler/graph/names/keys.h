// SPDX-License-Identifier: Apache-2.0
// Keys of operators: what the choices file and other tools call them, the same after an edit elsewhere in the model.
//
// An operator that has a lasting name in the model (its own, or that of its first result) is called by it. Any other is
// called after its operator and a hash of the smallest neighbourhood that tells it apart from the rest of the graph:
// operators, attributes, shapes and lasting names within 0, 1, 2, ... steps. Names of weights are lasting, so in a model
// with named weights a few steps are enough, and an edit further away changes nothing. What no neighbourhood tells apart
// (the same thing computed twice from the same values) is counted in order of execution.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

class NodeKeys {
public:
    explicit NodeKeys(const Graph& graph);

    const std::string& of(NodeId node) const { return m_keys[node.index]; }
    NodeId find(std::string_view key) const; // invalid: nothing is called so
    std::vector<std::string> all() const;    // of live nodes, in order of ids

private:
    std::vector<std::string> m_keys; // by node; empty for slots without one
    std::unordered_map<std::string, NodeId> m_nodes;
};

} // namespace hidet::graph
