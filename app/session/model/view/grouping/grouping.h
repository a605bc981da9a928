// SPDX-License-Identifier: Apache-2.0
// A model as nested groups of boxes, ready to be laid out (app/session/drawing): by the scopes that names of operators
// have, by blocks that repeat, by kernels that operators share. Constants are no boxes but chips of who reads them.
#pragma once

#include <string>
#include <vector>

#include "app/session/drawing/hierarchy.h"
#include "app/session/model/view/model_view.h"
#include "compiler/graph/core/graph.h"
#include "compiler/graph/fuse/partition.h"

namespace hidet::session::grouping {

struct ModelBox {
    BoxKind kind = BoxKind::Operator;
    graph::NodeId node;   // of an operator
    graph::ValueId value; // of an input or output of the model
    std::string label;
    std::vector<graph::ValueId> chips;   // constants that it reads
    std::vector<graph::ValueId> inputs;  // by port
    std::vector<graph::ValueId> outputs; // by port
};

struct ModelGroup {
    BoxGroupKind kind = BoxGroupKind::Model;
    std::string name;         // "encoder", "layer.0 to layer.11"
    std::uint32_t count = 1;  // of blocks in a Repeat
    std::uint32_t kernel = 0; // of a Kernel: its place in the partition
};

// Boxes are those of drawn.nodes, groups those of drawn.groups; all groups but the first are closed.
struct ModelView {
    std::vector<ModelBox> boxes;
    std::vector<ModelGroup> groups;
    drawing::GroupView drawn;
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
ModelView view_of(const graph::Graph& graph, const graph::Partition* partition = nullptr,
                  const ModelViewOptions& options = {});

} // namespace hidet::session::grouping
