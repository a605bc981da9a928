// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/plan_view.h"

#include <algorithm>

#include "app/session/model/graph_values.h"
#include "compiler/graph/document/costs.h"

namespace hidet::session {

using namespace graph;

namespace {

bool is_host(const Graph& graph, const Group& group) {
    return !graph.node(group.anchor).task;
}

// Nothing runs for it: its results are what it reads, under other shapes.
bool is_view(const Graph& graph, const Group& group) {
    return std::ranges::all_of(group.nodes, [&](NodeId node) { return graph.node(node).op->shares_memory; });
}

GraphRefusal refusal_of(const Refusal& refusal, bool is_within) {
    return {refusal.producer.index,     refusal.consumer.index, refusal.value.index,
            refusal_id(refusal.reason), refusal.text,           is_within};
}

void add_step(ModelSnapshot& snapshot, ModelGraph& last, const Step& step, const KernelCost& cost,
              const ModelStages& stages, const Predictor& predictor) {
    PlanStep& out = snapshot.steps.emplace_back();
    out.kernel = step.group;
    out.is_host = step.kind == Step::Kind::Host;
    GraphKernel& kernel = last.kernels[step.group];
    if (out.is_host) {
        out.names = stages.names_of({step.node});
    } else {
        for (const GroupProgram::Kernel& each : step.kernels)
            out.names.push_back(each.name);
        if (out.names.empty()) // all its tensors are empty
            out.names = stages.names_of(step.nodes);
        out.least_seconds = predictor.seconds(cost.flops, cost.bytes, step.kernels.size());
        kernel.least_seconds = out.least_seconds;
        snapshot.totals.launches += step.kernels.size();
        snapshot.totals.seconds += out.least_seconds;
    }
    kernel.names = out.names;
}

void add_memory(ModelSnapshot& snapshot, const ModelGraph& last, std::uint32_t id, const Plan& plan,
                const Predictor& predictor) {
    const Placement& place = plan.placements[id];
    const bool is_unused_constant = place.kind == Placement::Kind::Constant && place.last_step < 0;
    const GraphValue* value = last.value(id);
    if (place.kind == Placement::Kind::None || is_unused_constant || !value)
        return;
    MemoryRow row{id, value->name, value->dtype, value->shape, placement_name(place.kind), {}, {}, 0, 0, 0};
    row.bytes = predictor.known(place.bytes);
    if (place.kind == Placement::Kind::Arena)
        row.offset = predictor.known(place.offset);
    // What the caller gets lives on after the last step.
    const auto steps = static_cast<std::int32_t>(plan.steps.size());
    const auto step = [&](std::int32_t number) {
        return static_cast<std::uint32_t>(std::clamp(number, 0, std::max(steps - 1, 0)));
    };
    row.first_step = step(place.first_step);
    row.last_step = step(std::max(place.last_step, place.first_step));
    if (row.first_step < plan.steps.size())
        row.section = plan.steps[row.first_step].section;
    snapshot.memory.push_back(std::move(row));
}

void add_workspace(ModelSnapshot& snapshot, std::uint32_t number, const Step& step, const Predictor& predictor) {
    if (!step.workspace_bytes)
        return;
    const std::string name = snapshot.steps[number].names.empty() ? "" : snapshot.steps[number].names.front();
    MemoryRow row{no_id, "workspace of " + name, "", "", "workspace", {}, {}, step.section, number, number};
    row.bytes = predictor.known(step.workspace_bytes);
    row.offset = predictor.known(step.workspace_offset);
    snapshot.memory.push_back(std::move(row));
}

// Weights that nothing runs on do not count.
double weight_bytes(const ModelSnapshot& snapshot) {
    double bytes = 0;
    for (const MemoryRow& row : snapshot.memory)
        if (row.place == placement_name(Placement::Kind::Constant))
            bytes += row.bytes.value_or(0);
    return bytes;
}

} // namespace

std::vector<KernelCost> fill_kernels(ModelGraph& out, ModelGraph::Index& index, const ModelStages& stages,
                                     const Predictor& predictor) {
    const Graph& graph = stages.compiled().graph;
    const Partition& partition = stages.compiled().partition;
    std::vector<KernelCost> costs;
    index.partition = partition;
    index.kernel_of_node.assign(graph.node_slots(), no_id);
    out.kernels.reserve(partition.groups.size());
    for (const Group& group : partition.groups) {
        for (const NodeId node : group.nodes)
            index.kernel_of_node[node.index] = static_cast<std::uint32_t>(out.kernels.size());
        GraphKernel& kernel = out.kernels.emplace_back();
        kernel.anchor = group.anchor.index;
        if (const GraphNode* anchor = out.node(kernel.anchor))
            kernel.key = anchor->key;
        kernel.nodes = indices_of(group.nodes);
        kernel.is_host = is_host(graph, group);
        const NodeCost cost = cost_of(graph, group);
        kernel.flops = predictor.known(cost.flops);
        kernel.bytes = predictor.known(cost.bytes);
        costs.push_back(
            {predictor.assumed(cost.flops), predictor.assumed(cost.bytes), !kernel.is_host && !is_view(graph, group)});
        if (costs.back().is_launched)
            kernel.least_seconds = predictor.seconds(costs.back().flops, costs.back().bytes, 1);
    }
    for (const Refusal& refusal : partition.refusals)
        out.refusals.push_back(refusal_of(refusal, false));
    return costs;
}

ModelTotals totals_of(const ModelGraph& last, const std::vector<KernelCost>& costs, const Predictor& predictor) {
    ModelTotals totals;
    totals.nodes = last.nodes.size();
    totals.assumed = predictor.assumptions();
    for (std::size_t i = 0; i < last.kernels.size(); ++i) {
        totals.flops += costs[i].flops;
        totals.bytes += costs[i].bytes;
        totals.seconds += last.kernels[i].least_seconds;
        totals.kernels += costs[i].is_launched;
    }
    totals.launches = totals.kernels;
    return totals;
}

void fill_plan(ModelSnapshot& snapshot, ModelGraph& last, const std::vector<KernelCost>& costs,
               const ModelStages& stages, const Predictor& predictor) {
    const Plan& plan = stages.compiled().plan;
    for (const Refusal& refusal : plan.refusals)
        last.refusals.push_back(refusal_of(refusal, true));
    snapshot.totals.launches = 0;
    snapshot.totals.seconds = 0;
    for (const Step& step : plan.steps)
        add_step(snapshot, last, step, costs[step.group], stages, predictor);
    for (std::uint32_t i = 0; i < plan.placements.size(); ++i)
        add_memory(snapshot, last, i, plan, predictor);
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i)
        add_workspace(snapshot, i, plan.steps[i], predictor);
    snapshot.arena_bytes = predictor.known(plan.arena_bytes);
    snapshot.arena_bound = predictor.known(plan.liveness_bound);
    snapshot.weight_bytes = weight_bytes(snapshot);
}

} // namespace hidet::session
