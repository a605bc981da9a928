// SPDX-License-Identifier: Apache-2.0
// The printed form of a graph (graph.md 2.2):
//
//   Graph(x: float32[2, 3][cpu]){
//     c = Constant(float32[3, 2][cpu])  # 9f0b...
//     x_1: float32[2, 2][cpu] = Matmul(x, c, transpose_b=False)
//     return x_1
//   }
//
// One line an operator, producers first; the same graph gives the same text.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

class ContentHashes;

struct PrintedNode { // the bytes [begin, end) of the text
    NodeId node;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

struct PrintOptions {
    const Partition* partition = nullptr;       // a group of several operators prints as one, Fused<Anchor>
    bool tasks = false;                         // verbose: the compute definition below each operator
    ContentHashes* known = nullptr;             // of constants, for who prints a graph many times
    std::vector<PrintedNode>* places = nullptr; // filled: where each operator stands
};

std::string print_graph(const Graph& graph, const PrintOptions& options = {});

} // namespace hidet::graph
