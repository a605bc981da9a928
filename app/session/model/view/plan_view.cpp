// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/plan_view.h"

#include <algorithm>

#include "app/session/model/view/graph_values.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/fuse/blockers.h"

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

GraphBlocker view_of(const Graph& graph, const Blocker& blocker, bool is_within) {
    GraphBlocker out;
    out.producer = blocker.producer.index;
    out.consumer = blocker.consumer.index;
    out.value = blocker.value.index;
    out.reason = blocker_id(blocker.reason);
    out.text = blocker.text;
    out.condition = condition_of(graph, blocker);
    out.is_within = is_within;
    return out;
}

void add_step(ModelSnapshot& snapshot, ModelGraph& last, std::size_t number, const KernelCost& cost,
              const ModelStages& stages, const Predictor& predictor) {
    const Plan& plan = stages.compiled().plan;
    const artifact::PlanStep& step = plan.launch.steps[number];
    const StepSource& source = plan.sources[number];
    PlanStep& out = snapshot.steps.emplace_back();
    out.kernel = source.group;
    out.is_host = plan.is_host(number);
    GraphKernel& kernel = last.kernels[source.group];
    if (out.is_host) {
        out.names = step.operators;
    } else {
        out.names = step.kernels;
        if (out.names.empty()) // all its tensors are empty
            out.names = stages.names_of(source.nodes);
        out.least_seconds = predictor.seconds(cost.need(step.kernels.size()));
        kernel.least_seconds = out.least_seconds;
        snapshot.totals.launches += step.kernels.size();
        snapshot.totals.seconds += out.least_seconds;
    }
    kernel.names = out.names;
    kernel.schedule = source.schedule;
}

// The plan's memory for what is known of the dynamic dimensions.
class MemoryRows {
public:
    MemoryRows(const Plan& plan, const Predictor& predictor)
        : m_plan(plan.launch), m_known(predictor.known(plan.launch)), m_ids(plan.launch.values.size(), no_id) {
        for (std::uint32_t id = 0; id < plan.rows.size(); ++id)
            if (plan.rows[id] != artifact::no_row)
                m_ids[plan.rows[id]] = id;
    }

    void add_to(ModelSnapshot& snapshot, const ModelGraph& last) const {
        std::vector<artifact::Row> values, workspaces;
        for (artifact::Row row = 0; row < m_plan.values.size(); ++row)
            (m_ids[row] == no_id ? workspaces : values).push_back(row);
        std::ranges::sort(values, {}, [&](artifact::Row row) { return m_ids[row]; });
        for (const artifact::Row row : values)
            if (const GraphValue* value = last.value(m_ids[row])) {
                MemoryRow& memory = snapshot.memory.emplace_back(memory_of(row));
                memory.value = m_ids[row];
                memory.name = value->name;
                memory.dtype = value->dtype;
                memory.shape = value->shape;
            }
        for (const artifact::Row row : workspaces) {
            if (m_plan.values[row].place == artifact::Place::Constant) { // a packed weight
                MemoryRow& memory = snapshot.memory.emplace_back(memory_of(row));
                memory.name = m_plan.values[row].name;
                memory.dtype = m_plan.values[row].dtype;
                continue;
            }
            const PlanStep& step = snapshot.steps[static_cast<std::size_t>(m_plan.values[row].first_step)];
            MemoryRow& memory = snapshot.memory.emplace_back(memory_of(row));
            memory.name = "workspace of " + (step.names.empty() ? "" : step.names.front());
            memory.place = "workspace";
        }
        const artifact::ArenaSizes sizes = arena_sizes(m_plan, m_known);
        snapshot.arena_bytes = number(sizes.bytes);
        snapshot.arena_bound = number(sizes.bound);
    }

private:
    static std::optional<double> number(const artifact::ExprValue& value) {
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    }
    MemoryRow memory_of(artifact::Row row) const {
        MemoryRow out;
        const artifact::PlanValue& value = m_plan.values[row];
        out.place = enum_name(value.place);
        out.bytes = number(m_known[value.bytes]);
        if (value.place == artifact::Place::Arena)
            out.offset = number(m_known[value.offset]);
        // What the caller gets lives on after the last step.
        const auto steps = static_cast<std::int32_t>(m_plan.steps.size());
        const auto step = [&](std::int32_t number) {
            return static_cast<std::uint32_t>(std::clamp(number, 0, std::max(steps - 1, 0)));
        };
        out.first_step = step(value.first_step);
        out.last_step = step(std::max(value.last_step, value.first_step));
        if (out.first_step < m_plan.steps.size())
            out.section = m_plan.steps[out.first_step].section;
        return out;
    }

    const artifact::LaunchPlan& m_plan;
    const std::vector<artifact::ExprValue> m_known; // by expression
    std::vector<std::uint32_t> m_ids;               // of the graph, by value
};

// Weights that nothing runs on do not count.
double weight_bytes(const ModelSnapshot& snapshot) {
    double bytes = 0;
    for (const MemoryRow& row : snapshot.memory)
        if (row.place == enum_name(artifact::Place::Constant))
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
        costs.push_back({predictor.assumed(cost.flops), predictor.assumed(cost.bytes),
                         !kernel.is_host && !is_view(graph, group), is_half_product(graph, group.nodes)});
        if (costs.back().is_launched)
            kernel.least_seconds = predictor.seconds(costs.back().need(1));
    }
    for (const Blocker& blocker : partition.blockers)
        out.blockers.push_back(view_of(graph, blocker, false));
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
    for (const Blocker& blocker : plan.blockers)
        last.blockers.push_back(view_of(stages.compiled().graph, blocker, true));
    snapshot.totals.launches = 0;
    snapshot.totals.seconds = 0;
    for (std::size_t i = 0; i < plan.sources.size(); ++i)
        add_step(snapshot, last, i, costs[plan.sources[i].group], stages, predictor);
    MemoryRows(plan, predictor).add_to(snapshot, last);
    snapshot.weight_bytes = weight_bytes(snapshot);
}

} // namespace hidet::session
