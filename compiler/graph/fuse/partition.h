// SPDX-License-Identifier: Apache-2.0
// Which operators share a kernel: the partition of a graph into groups around anchors (graph.md 2.9), and for every edge
// that stays between two groups the reason why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/core/graph.h"

namespace hidet::graph {

enum class Role : std::uint8_t { Anchor, Prologue, Epilogue };

struct Updated {
    ValueId result, input;
};

struct Group {
    NodeId anchor;
    std::vector<NodeId> nodes;          // producers first, the anchor among them
    std::vector<Role> roles;            // of the nodes
    std::string schedule = {};          // that somebody chose for the anchor; empty: nobody did
    std::vector<Updated> in_place = {}; // of Graph::in_place, what the group could do: nobody reads the input behind it
    std::vector<Group> parts = {};      // that share its launch, the anchor's last; empty: it has none but itself
};
bool has_epilogue(const Group& group);

// Rows of fusion_blockers.def: a stable id and a sentence with the condition that failed.
enum class FusionBlocker : std::uint8_t {
#define HIDET_FUSION_BLOCKER(name, id, text) name,
#include "compiler/graph/fuse/fusion_blockers.def"
#undef HIDET_FUSION_BLOCKER
};
const char* blocker_id(FusionBlocker reason);

struct Blocker {
    NodeId producer;
    NodeId consumer;
    ValueId value; // between them
    FusionBlocker reason{};
    std::string text; // with the names and shapes of this edge
};

struct Partition {
    std::vector<Group> groups; // in an order in which they can run
    std::vector<Blocker> blockers;
};

// What the user decided, by the stable keys of both nodes (choices file): forbid or force an edge.
struct FusionChoices {
    struct Edge {
        std::string producer;
        std::string consumer;
        bool fuse = false;
        std::string measured = {}; // the times that say so; empty: somebody decided it
    };
    std::vector<Edge> edges;
    bool enabled = true; // false: one group an operator
    // That what computing again costs is predicted for; nothing: it is guessed by counting operations.
    std::optional<artifact::TargetSpec> target = {};
};

// An edge that is forced and cannot be fused changes nothing, and its blocker says why it cannot.
Partition partition(const Graph& graph, const FusionChoices& choices = {});

} // namespace hidet::graph
