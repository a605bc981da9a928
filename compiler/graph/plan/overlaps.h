// SPDX-License-Identifier: Apache-2.0
// Which neighbours of a plan run at the same time (compiler/graph/fuse/early_launch.h).
#pragma once

#include "compiler/graph/fuse/lower.h"

namespace hidet::graph {

// A program as it stands in the order of launches, with the values that it reads and makes there.
struct Launched {
    ir::ModuleRef module;
    const GroupProgram* names = nullptr; // its own module is not looked at
    bool follows = false;                // the program before it, with nothing of the host's between them
};

// Changes the modules of each two neighbours the second of which begins with what is older than both. Equal programs share a module
// before, and those that are changed alike do so afterwards.
void overlap_neighbours(const Graph& graph, std::vector<Launched>& launched);

} // namespace hidet::graph
