// SPDX-License-Identifier: Apache-2.0
// The module of a group: functions of its pieces, and the public launch function that runs them on the group's tensors.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "compiler/graph/fuse/lower.h"
#include "compiler/ir/stmt.h"

namespace hidet::graph {

class Assembly {
public:
    Assembly(const Graph& graph, const Group& group);

    // The tensor as a variable of the launch function: one of its parameters, or a place in the workspace.
    ir::VarRef host(ValueId value);
    ir::VarRef make_parameter(ValueId value) const; // of a kernel, for that tensor
    ir::VarRef between(const ir::VarRef& tensor);
    ir::VarRef packed(ValueId constant, const Task& task); // a parameter of the launch function
    // Read outside of the group, or a result of the graph.
    bool is_output(ValueId value) const;
    // A name that no function has yet.
    std::string unique_name(const std::string& wanted);

    void add_function(ir::FunctionRef function) { m_functions.push_back(std::move(function)); }
    void add_kernel(ir::FunctionRef kernel, std::vector<NodeId> nodes);
    void run(ir::StmtRef statement) { m_body.push_back(std::move(statement)); }
    // What the first adds runs where the condition holds, what the second adds elsewhere.
    void choose(const Dim& condition, const std::function<void()>& first, const std::function<void()>& second);

    GroupProgram finish(const std::string& name);

private:
    void name_tensors(const Node& node);
    ir::StmtRef added_by(const std::function<void()>& what);
    void place(const ir::VarRef& tensor, ir::VarRef workspace, ir::StmtVec& places);

    const Graph& m_graph;
    const std::set<NodeId> m_nodes;
    std::map<ValueId, ir::VarRef> m_tensors;
    std::vector<ValueId> m_order; // of the values in the text of the group: inputs, then outputs of each node
    std::map<ValueId, std::string> m_names;
    ir::VarVec m_between;
    ir::VarVec m_packed; // as the program has them
    std::map<std::string, int> m_taken;
    std::vector<ir::FunctionRef> m_functions;
    ir::StmtVec m_body;
    GroupProgram m_program;
    Dim m_workspace = dim(0);
};

// What launches a kernel of the scheduler on these arguments; null when it has nothing to do.
ir::StmtRef launch_of(const ir::Function& kernel, ir::ExprVec args);

} // namespace hidet::graph
