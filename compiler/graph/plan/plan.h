// SPDX-License-Identifier: Apache-2.0
// A compiled graph as data: which programs, in which order, on which memory. Every extent and offset is an expression over
// the graph's symbols; constants fold.
//
// Values that one program hands to another lie in an arena. Where exactly is planned here when all sizes are constants, and
// by arena_of() for each binding of the symbols otherwise. A host operator whose results have extents that depend on data
// ends a section: what comes after it is planned when they are known, in an arena of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/fuse/lower.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/plan/extent.h"
#include "compiler/graph/plan/memory.h"

namespace hidet::graph {

// Equal groups share one.
struct PlannedProgram {
    ir::ModuleRef module;
    std::string key;                // of the module's text: what caches and people call it
    std::vector<NodeId> nodes = {}; // of the group that it was lowered from
};

// Where a value lives.
struct Placement {
    // Output: memory of its own, which the caller gets. Host: likewise, written or read by a host operator.
    enum class Kind : std::uint8_t { None, Input, Constant, Arena, Output, Host, Alias } kind = Kind::None;
    Dim offset; // Arena: bytes from its start, aligned to 256; null where sizes depend on symbols
    Dim bytes;
    ValueId alias_of; // Alias: the same bytes under another shape; never an alias itself
    std::int32_t first_step = -1;
    std::int32_t last_step = -1; // aliases included
};
const char* placement_name(Placement::Kind kind); // "arena"

struct Step {
    enum class Kind : std::uint8_t { Launch, Host } kind = Kind::Launch;
    std::uint32_t program = 0;      // Launch
    NodeId node;                    // Host: the operator; Launch: the anchor
    std::uint32_t group = 0;        // of the partition
    std::uint32_t section = 0;      // whose arena takes what it makes
    std::vector<ValueId> arguments; // inputs then outputs
    std::vector<ValueId> outputs;
    std::vector<GroupProgram::Kernel> kernels; // Launch
    std::vector<NodeId> nodes;                 // Launch: in the order of the program's
    Dim workspace_bytes;                       // null: none
    Dim workspace_offset;                      // null: none, or not known yet
};

struct PlannedBuffer {
    ValueId value; // invalid: the workspace of step `first`
    Dim bytes;
    std::int32_t first = 0;
    std::int32_t last = 0;
};

struct Section {
    std::uint32_t first_step = 0;
    std::uint32_t end_step = 0;
    std::vector<PlannedBuffer> buffers;
    Dim arena_bytes;    // null where sizes depend on symbols
    Dim liveness_bound; // likewise
};

struct Plan {
    artifact::TargetSpec target = artifact::default_cpu();
    std::vector<PlannedProgram> programs;
    std::vector<Step> steps;
    std::vector<Placement> placements; // by value
    std::vector<Section> sections;
    std::vector<Refusal> refusals; // of lowering, beside those of the partition
    Dim arena_bytes;               // of all sections; null where sizes depend on symbols
    Dim liveness_bound;            // the most bytes that are alive at once: no plan can do with less
};

// Told after each group that was lowered. From any thread, but never from two at once.
using PlanProgress = std::function<void(std::size_t done, std::size_t total, std::string_view what)>;
using GroupLowering = std::function<GroupProgram(const Graph&, const Group&, const artifact::TargetSpec&)>;

struct PlanOptions {
    artifact::TargetSpec target = artifact::default_cpu();
    std::size_t threads = 0; // that lower groups; 0: as many as the machine has
    const std::atomic<bool>* cancelled = nullptr;
    PlanProgress progress;
};

// Each different group is lowered once. OpError when a size exceeds what can be addressed; an empty plan when cancelled.
Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options, const GroupLowering& lower);
Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options); // by lower_group
Plan make_plan(const Graph& graph, const Partition& partition, const artifact::TargetSpec& target);

// Offsets of the section's buffers for these symbols. OpError when a size is not known or too large.
ArenaLayout arena_of(const Section& section, const SymbolValues& symbols);

} // namespace hidet::graph
