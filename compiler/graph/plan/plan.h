// SPDX-License-Identifier: Apache-2.0
// From a partitioned graph to its launch plan (compiler/artifact/launch_plan.h): which programs, in which order, on which
// memory, as plain data. What belongs to this process stands beside it: the programs' modules, the weights' elements, and
// where steps and values came from.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/artifact/launch_plan.h"
#include "compiler/graph/fuse/lower.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/plan/extent.h"

namespace hidet::graph {

// Equal groups share one. Row i is module i of the launch plan, and its function `launch` is function i.
struct PlannedProgram {
    ir::ModuleRef module;
    std::string key;                // of the module's text: what caches and people call it
    std::vector<NodeId> nodes = {}; // of the group that it was lowered from
};

// Where a step came from.
struct StepSource {
    NodeId node;                               // Host: the operator; Call: the anchor
    std::uint32_t group = 0;                   // of the partition
    std::vector<ValueId> outputs;              // what it makes
    std::vector<GroupProgram::Kernel> kernels; // Call
    std::vector<NodeId> nodes;                 // Call: in the order of the program's
    std::string schedule = {};                 // Call: the template of the anchor; empty: the rules
};

// A branch's or a loop's, which has gone through the passes.
struct PlannedBody {
    std::shared_ptr<const Graph> graph; // null: it is refused
    std::vector<StepSource> sources;    // by step
};

struct Plan {
    artifact::TargetSpec target = artifact::default_cpu();
    artifact::LaunchPlan launch;
    std::vector<PlannedProgram> programs;
    std::vector<lang::TensorRef> weights; // by row of the launch plan's
    std::vector<StepSource> sources;      // by step
    std::vector<PlannedBody> bodies;      // by row of the launch plan's
    std::vector<artifact::Row> rows;      // by value of the graph; no row: no step knows it
    std::vector<Blocker> blockers;        // of lowering, beside those of the partition

    std::uint32_t program_of(std::size_t step) const { return launch.functions[launch.steps[step].function].module; }
    bool is_host(std::size_t step) const { return is_on_host(launch.steps[step].kind); }
};

struct CompiledGraph {
    Graph graph;
    Partition partition;
    Plan plan;
};

// Told after each group that was lowered. From any thread, but never from two at once.
using PlanProgress = std::function<void(std::size_t done, std::size_t total, std::string_view what)>;
using GroupLowering = std::function<GroupProgram(const Graph&, const Group&, const artifact::TargetSpec&)>;

struct PlanOptions {
    artifact::TargetSpec target = artifact::default_cpu();
    const TemplateProvider* templates = nullptr; // null: the rules schedule everything
    GraphOptions passes;                         // that bodies of branches and loops go through, for this target
    std::string code;                            // what is asked of code generators (ir/module_options.h)
    std::size_t threads = 0;                     // that lower groups; 0: as many as the machine has
    const std::atomic<bool>* cancelled = nullptr;
    PlanProgress progress;
};

// Each different group is lowered once. OpError when a size exceeds what can be addressed; an empty plan when cancelled.
Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options, const GroupLowering& lower);
Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options); // by lower_group

// What a node is called: by its name in the model, or that of what it replaced, or its operator. What one operator of the
// model became stands once in a list.
std::string name_of(const Graph& graph, NodeId node);
std::vector<std::string> names_of(const Graph& graph, const std::vector<NodeId>& nodes);

} // namespace hidet::graph
