// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/costs.h"

#include <algorithm>

#include "compiler/ir/ops.h"
#include "compiler/perf/expression_cost.h"

namespace hidet::graph {

namespace {

Dim flops_of(const Task& task) {
    Dim total = dim(0);
    for (const Stage& stage : task.stages) {
        std::int64_t operations = perf::operations_in(stage.value);
        Dim times = element_count(shape_of(stage.tensor));
        if (stage.reduction) {
            operations += ir::is_float(stage.reduction->accumulate);
            for (const Dim& extent : stage.reduction->extents)
                times = ir::mul(times, extent);
        }
        total = ir::add(total, ir::mul(times, dim(operations)));
    }
    return simplified(total);
}

Dim bytes_of(const TensorSpec& spec) {
    const int bits = ir::info(spec.dtype).bits;
    const Dim count = element_count(spec.shape);
    return bits % 8 == 0 ? ir::mul(count, dim(bits / 8))
                         : ir::floor_div(ir::add(ir::mul(count, dim(bits)), dim(7)), dim(8));
}

// Each tensor that is read once, and all that are made.
Dim bytes_of(const Graph& graph, std::vector<ValueId> read, const std::vector<ValueId>& made) {
    std::ranges::sort(read);
    read.erase(std::ranges::unique(read).begin(), read.end());
    read.insert(read.end(), made.begin(), made.end());
    Dim bytes = dim(0);
    for (ValueId value : read)
        bytes = ir::add(bytes, bytes_of(graph.value(value).spec));
    return simplified(bytes);
}

} // namespace

NodeCost cost_of(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    NodeCost cost{dim(0), dim(0)};
    if (node.op->flops)
        cost.flops = simplified(node.op->flops(graph.call_of(id)));
    else if (node.task)
        cost.flops = flops_of(*node.task);
    if (!node.op->shares_memory)
        cost.bytes = bytes_of(graph, node.inputs, node.outputs);
    return cost;
}

NodeCost cost_of(const Graph& graph, const Group& group) {
    NodeCost cost{dim(0), dim(0)};
    std::vector<ValueId> read, made;
    bool is_view = true;
    for (NodeId id : group.nodes) {
        const Node& node = graph.node(id);
        cost.flops = ir::add(cost.flops, cost_of(graph, id).flops);
        is_view = is_view && node.op->shares_memory;
        read.insert(read.end(), node.inputs.begin(), node.inputs.end());
        made.insert(made.end(), node.outputs.begin(), node.outputs.end());
    }
    const auto is_inside = [&](NodeId node) { return std::ranges::find(group.nodes, node) != group.nodes.end(); };
    std::erase_if(read, [&](ValueId value) {
        const NodeId producer = graph.value(value).producer;
        return producer.valid() && is_inside(producer);
    });
    std::erase_if(made, [&](ValueId value) {
        const std::vector<Use>& uses = graph.value(value).uses;
        return !graph.is_output(value) &&
               std::ranges::all_of(uses, [&](const Use& use) { return is_inside(use.node); });
    });
    cost.flops = simplified(cost.flops);
    if (!is_view)
        cost.bytes = bytes_of(graph, std::move(read), made);
    return cost;
}

} // namespace hidet::graph
