// SPDX-License-Identifier: Apache-2.0
// Which module of the model every operator belongs to.
//
// "/encoder/layer.0/attention/MatMul" says it, and so does "encoder.layer.0.attention/node_12". Where operators have no such
// names, weights keep those of their modules ("encoder.layer.0.attention.weight"), so what reads such a weight is in that
// module. Any other operator is in the innermost module around the operators of known modules before and after it, or
// around all its producers if that says much more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::session::grouping {

struct Scopes {
    struct Scope {
        std::uint32_t parent = 0;
        std::string name; // "layer.0"
    };
    std::vector<Scope> scopes;          // the first one is the model; parents come first
    std::vector<std::uint32_t> of_node; // by node id
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const;
};

Scopes scopes_of(const graph::Graph& graph, const std::vector<graph::NodeId>& order);

} // namespace hidet::session::grouping
