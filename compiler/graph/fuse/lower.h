// SPDX-License-Identifier: Apache-2.0
// From a group of operators to a module of IR: the anchor is scheduled, then its loads and stores are rewritten to take
// prologues and epilogues (post-scheduling fusion, Ding et al., ASPLOS 2023; graph.md 2.10 steps 2 to 8).
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/fuse/partition.h"
#include "compiler/ir/func.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/templates.h"

namespace hidet::graph {

// A constant whose elements a program takes in another order: what the task, of one input and one output, makes of it.
struct PackedConstant {
    ValueId value;
    Task task;
};

struct GroupProgram {
    // Kernels, and a public function `launch(inputs..., packed..., outputs..., workspace)` that runs them in order; level Script. Who
    // calls it binds the graph's symbols (lang::Engine::symbols), because not every one is a dimension of an argument.
    // Names in it depend on the operators alone, so that equal groups give structurally equal modules.
    ir::ModuleRef module;
    std::vector<ValueId> inputs; // of launch, in order; each once
    std::vector<PackedConstant> packed;
    std::vector<ValueId> outputs; // those that are read outside of the group, or are results of the graph
    Dim workspace_bytes;          // null: launch has no workspace parameter
    struct Kernel {
        std::string name;
        std::vector<NodeId> nodes;   // what it computes
        bool is_alternative = false; // it runs in the place of others before it, for other sizes
    };
    std::vector<Kernel> kernels;
    std::vector<Updated> in_place; // of the group's, what the kernels do
    std::string schedule;          // the template of the anchor; empty: the rules
    std::vector<Blocker> blockers; // edges inside of the group that became several kernels after all
};

// An anchor may have a schedule of its own. Null: the rule-based scheduler.
GroupProgram lower_group(const Graph& graph, const Group& group, const artifact::TargetSpec& target,
                         const AnchorSchedule* anchor_schedule = nullptr);

} // namespace hidet::graph
