// SPDX-License-Identifier: Apache-2.0
// A model as nested groups of boxes, ready to be laid out (compiler/graph/layout): by the scopes that names of operators
// have, by blocks that repeat, by kernels that operators share. Constants are no boxes but chips of who reads them.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"
#include "compiler/graph/layout/hierarchy.h"

namespace hidet::graph {

enum class BoxKind : std::uint8_t { Operator, Input, Output };

struct ModelBox {
    BoxKind kind = BoxKind::Operator;
    NodeId node;   // of an operator
    ValueId value; // of an input or output of the model
    std::string label;
    std::vector<ValueId> chips;   // constants that it reads
    std::vector<ValueId> inputs;  // by port
    std::vector<ValueId> outputs; // by port
};

enum class GroupKind : std::uint8_t {
    Model,  // everything
    Scope,  // what names put together
    Repeat, // blocks that are equal, one after the other
    Block,  // one of those, where names say nothing
    Kernel, // operators that share one
    Part,   // of a group with too many children
};

struct ModelGroup {
    GroupKind kind = GroupKind::Model;
    std::string name;         // "encoder", "layer.0 to layer.11"
    std::uint32_t count = 1;  // of blocks in a Repeat
    std::uint32_t kernel = 0; // of a Kernel: its place in the partition
};

// Boxes are those of drawn.nodes, groups those of drawn.groups; all groups but the first are closed.
struct ModelView {
    std::vector<ModelBox> boxes;
    std::vector<ModelGroup> groups;
    layout::GroupView drawn;
};

struct ModelViewOptions {
    bool has_scopes = true;
    bool has_repeats = true;
    std::uint32_t most_children = 300; // of a group; 0: any
    // Boxes are as wide as their labels.
    double letter = 7;
    double margin = 24;
    double height = 28;
    double header = 24;
};

// With a partition, operators that share a kernel are groups too. Without groups at all: has_scopes and has_repeats off, and
// most_children 0.
ModelView view_of(const Graph& graph, const Partition* partition = nullptr, const ModelViewOptions& options = {});

} // namespace hidet::graph
