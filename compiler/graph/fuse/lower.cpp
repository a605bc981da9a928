// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/lower.h"

#include <unordered_map>

#include "compiler/graph/fuse/assemble.h"

namespace hidet::graph {

using namespace ir;

namespace {

void lower_node(const Graph& graph, NodeId id, Target target, Assembly& assembly) {
    const Node& node = graph.node(id);
    const ScheduledTask scheduled = schedule(*node.task, target, assembly.unique_name(node.task->name));
    std::unordered_map<const Var*, VarRef> tensors;
    for (const VarRef& tensor : scheduled.between)
        tensors.emplace(tensor.get(), assembly.between(tensor));
    const auto host_of = [&](const VarRef& tensor) {
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (node.task->inputs[i] == tensor)
                return assembly.host(node.inputs[i]);
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            if (node.task->outputs[i] == tensor)
                return assembly.host(node.outputs[i]);
        return tensors.at(tensor.get());
    };
    for (const ScheduledKernel& kernel : scheduled.kernels) {
        ExprVec args;
        for (const VarRef& tensor : kernel.arguments)
            args.push_back(host_of(tensor));
        StmtRef launch = launch_of(*kernel.function, std::move(args));
        if (!launch)
            continue;
        assembly.add_kernel(kernel.function, {id});
        assembly.run(std::move(launch));
    }
}

} // namespace

GroupProgram lower_group(const Graph& graph, const Group& group, Target target, const ModuleRef&) {
    Assembly assembly(graph, group);
    for (NodeId id : group.nodes)
        lower_node(graph, id, target, assembly);
    return assembly.finish(graph.node(group.anchor).task->name);
}

} // namespace hidet::graph
