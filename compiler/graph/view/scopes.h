// SPDX-License-Identifier: Apache-2.0
// Which module of the model every operator belongs to.
//
// "/encoder/layer.0/attention/MatMul" says it. Other exporters number their operators, but weights keep the names of their
// modules ("encoder.layer.0.attention.weight"), so what reads such a weight is in that module, and what lies between two
// operators of known modules is in the innermost module around both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

struct Scopes {
    struct Scope {
        std::uint32_t parent = 0;
        std::string name; // "layer.0"
    };
    std::vector<Scope> scopes;          // the first one is the model; parents come first
    std::vector<std::uint32_t> of_node; // by node id
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const;
};

Scopes scopes_of(const Graph& graph, const std::vector<NodeId>& order);

} // namespace hidet::graph
