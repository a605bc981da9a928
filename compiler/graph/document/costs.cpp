// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/document/costs.h"

#include <algorithm>
#include <tuple>

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

// Read element by element for one of the result: of a large table no more than that.
bool takes_parts(const Node& node) {
    return node.is_any_of({OpId::StridedSlice, OpId::Take, OpId::Gather, OpId::GatherND, OpId::IdxSel});
}

// What a node that changes elements of a tensor puts there: the others may be where they are to be. Invalid: it is no such node.
ValueId updates_of(const Node& node) {
    return node.is_any_of({OpId::ScatterND, OpId::ScatterElements}) ? node.inputs[2] : ValueId();
}

Dim smaller(const Dim& a, const Dim& b) {
    const auto left = constant_of(a), right = constant_of(b);
    return left && right ? dim(std::min(*left, *right)) : a;
}

struct Reading {
    ValueId value;
    Dim bytes;
};

// What a node has to read of each input that nobody in its kernel makes.
void add_readings(const Graph& graph, const Node& node, std::vector<Reading>& out) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const ValueId input = node.inputs[i];
        if (!input.valid() || (i == 0 && updates_of(node).valid()))
            continue;
        const TensorSpec& spec = graph.value(input).spec;
        Dim bytes = bytes_of(spec);
        if (i == 0 && takes_parts(node))
            bytes = smaller(bytes, bytes_of({spec.dtype, graph.value(node.outputs[0]).spec.shape}));
        out.push_back({input, bytes});
    }
}

// Each tensor once: who reads the most of it stands for all. Constants are parts of what is as large as a symbol says.
void keep_largest(std::vector<Reading>& readings) {
    const auto rank = [](const Reading& each) {
        const auto bytes = constant_of(each.bytes);
        return std::tuple(each.value, bytes.has_value(), -bytes.value_or(0));
    };
    std::ranges::stable_sort(readings, {}, rank);
    readings.erase(std::ranges::unique(readings, {}, &Reading::value).begin(), readings.end());
}

Dim made_bytes(const Graph& graph, const Node& node, ValueId made) {
    const ValueId updates = updates_of(node);
    return bytes_of(graph.value(updates.valid() ? updates : made).spec);
}

} // namespace

NodeCost cost_of(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    NodeCost cost{dim(0), dim(0)};
    if (node.op->flops)
        cost.flops = simplified(node.op->flops(graph.call_of(id)));
    else if (node.task)
        cost.flops = flops_of(*node.task);
    if (updates_of(node).valid())
        cost.flops = element_count(graph.value(updates_of(node)).spec.shape);
    if (node.op->shares_memory)
        return cost;
    std::vector<Reading> read;
    add_readings(graph, node, read);
    keep_largest(read);
    for (const Reading& each : read)
        cost.bytes = ir::add(cost.bytes, each.bytes);
    for (const ValueId output : node.outputs)
        cost.bytes = ir::add(cost.bytes, made_bytes(graph, node, output));
    cost.bytes = simplified(cost.bytes);
    return cost;
}

NodeCost cost_of(const Graph& graph, const Group& group) {
    NodeCost cost{dim(0), dim(0), dim(0)};
    std::vector<Reading> read;
    Dim made = dim(0);
    bool is_view = true;
    const auto is_inside = [&](NodeId node) { return std::ranges::find(group.nodes, node) != group.nodes.end(); };
    const auto leaves = [&](ValueId value) {
        return graph.is_output(value) ||
               !std::ranges::all_of(graph.value(value).uses, [&](const Use& use) { return is_inside(use.node); });
    };
    for (const NodeId id : group.nodes) {
        const Node& node = graph.node(id);
        cost.flops = ir::add(cost.flops, cost_of(graph, id).flops);
        is_view = is_view && node.op->shares_memory;
        add_readings(graph, node, read);
        for (const ValueId output : node.outputs)
            if (leaves(output))
                made = ir::add(made, made_bytes(graph, node, output));
    }
    cost.flops = simplified(cost.flops);
    if (is_view)
        return cost;
    std::erase_if(read, [&](const Reading& each) {
        const NodeId producer = graph.value(each.value).producer;
        return producer.valid() && is_inside(producer);
    });
    keep_largest(read);
    Dim others = made;
    for (const Reading& each : read) {
        Dim& sum = graph.value(each.value).is_constant() ? cost.constant_bytes : others;
        sum = ir::add(sum, each.bytes);
    }
    cost.constant_bytes = simplified(cost.constant_bytes);
    cost.bytes = simplified(ir::add(others, cost.constant_bytes));
    return cost;
}

} // namespace hidet::graph
