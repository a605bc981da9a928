// SPDX-License-Identifier: Apache-2.0
// A compiled graph as data: which programs, in which order, on which memory. Every extent and offset is an expression over
// the graph's symbols; constants fold.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/fuse/lower.h"
#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

// Equal groups share one.
struct PlannedProgram {
    ir::ModuleRef module;
    std::string key; // of the module's text: what caches and people call it
};

// Where a value lives.
struct Placement {
    enum class Kind : std::uint8_t { None, Input, Constant, Arena, Output, Host, Alias } kind = Kind::None;
    Dim offset; // Arena: bytes from its start, aligned to 256
    Dim bytes;
    ValueId alias_of; // Alias: the same bytes under another shape
    std::int32_t first_step = -1;
    std::int32_t last_step = -1;
};

struct Step {
    enum class Kind : std::uint8_t { Launch, Host } kind = Kind::Launch;
    std::uint32_t program = 0;      // Launch
    NodeId node;                    // Host: the operator
    std::uint32_t group = 0;        // of the partition
    std::vector<ValueId> arguments; // inputs then outputs
    std::vector<ValueId> outputs;
    Dim workspace_offset; // null: none
};

struct Plan {
    std::vector<PlannedProgram> programs;
    std::vector<Step> steps;
    std::vector<Placement> placements; // by value
    Dim arena_bytes;
    Dim liveness_bound; // the most bytes that are alive at once: no plan can do with less
};

Plan make_plan(const Graph& graph, const Partition& partition, Target target);

} // namespace hidet::graph
