// SPDX-License-Identifier: Apache-2.0
// A piece of a group: an anchor with what is fused into its kernels. A group is one piece unless something cannot be fused.
#pragma once

#include <map>
#include <optional>

#include "compiler/graph/fuse/assemble.h"

namespace hidet::graph {

// A constant of the anchor whose elements its program takes in another order.
struct PackedInput {
    std::size_t input = 0;
    Task task;           // what it becomes: of one input and one output
    ir::VarRef variable; // of the launch
};

// The anchor, scheduled for itself.
struct AnchorProgram {
    std::vector<ir::FunctionRef> functions; // callees first
    ir::StmtRef launch;                     // what the host does, in terms of these variables:
    ir::VarVec inputs;                      // of the anchor; null: not used
    ir::VarVec outputs;
    ir::VarVec between;
    std::vector<PackedInput> packed;
};

class Piece {
public:
    Piece(const Graph& graph, Group group);

    const Graph& graph() const { return m_graph; }
    const Group& group() const { return m_group; }
    const Node& anchor() const { return m_graph.node(m_group.anchor); }
    std::optional<Role> role_of(NodeId id) const;
    bool is_prologue(ValueId value) const { return has_producer(value, Role::Prologue); }
    bool has_epilogue(ValueId value) const; // read by one
    bool is_needed_outside(ValueId value) const;
    // The outputs of the anchor that anybody reads.
    std::vector<std::size_t> live_outputs() const;
    std::string name() const; // "matmul_add_relu"

private:
    bool has_producer(ValueId value, Role role) const;

    const Graph& m_graph;
    Group m_group;
    std::map<NodeId, Role> m_roles;
};

// A tensor of the anchor whose accesses cannot be rewritten.
struct Unfusable {
    ValueId value;
    bool is_input = false;
    FusionBlocker reason{};
};

// Empty: the piece can be fused.
std::vector<Unfusable> find_unfusable(const Piece& piece, const AnchorProgram& program);

// Rewrites the program and adds it to the assembly.
void fuse_into(Assembly& assembly, const Piece& piece, const AnchorProgram& program);

// By the rules; kernels are called after the piece.
AnchorProgram schedule_anchor(const Piece& piece, const artifact::TargetSpec& target, Assembly& assembly);
// By a module made elsewhere.
AnchorProgram prepare_schedule(const Piece& piece, const AnchorSchedule& schedule, const artifact::TargetSpec& target,
                               Assembly& assembly);

} // namespace hidet::graph
