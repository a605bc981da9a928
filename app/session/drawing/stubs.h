// SPDX-License-Identifier: Apache-2.0
// Edges that would say little and cross much are cut: those to the many readers of one value, very long ones, and those that
// close a cycle between groups.
#pragma once

#include "app/session/drawing/flat.h"

namespace hidet::drawing {

struct CutLimits {
    std::uint32_t longest = 0; // layers; 0: any
    std::uint32_t most_consumers = 0;
};

// By edge. `flat` are the options with which the graph will be laid out.
std::vector<char> edges_to_cut(const FlatGraph& graph, const CutLimits& limits, const FlatOptions& flat);

struct StubNode {
    std::uint32_t node = 0; // of the graph; the stub is a node after all others
    std::uint32_t edge = 0; // of the graph before it was cut
    bool is_source = false;
};
struct CutGraph {
    FlatGraph graph;
    std::vector<StubNode> stubs; // the first of them is node `first_stub`
    std::uint32_t first_stub = 0;
    std::vector<std::uint32_t> edge_of; // every edge that is left, of the graph before
};
// Every cut edge gets a stub above its reader; every value with a cut edge one below its producer.
CutGraph cut(const FlatGraph& graph, const std::vector<char>& is_cut, Size stub);

} // namespace hidet::drawing
