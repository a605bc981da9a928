// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/model_view.h"

#include <algorithm>
#include <map>

#include "app/session/model/model_code.h"
#include "app/session/model/predictor.h"
#include "app/session/model/request.h"
#include "app/session/model/stages.h"
#include "app/session/model/view/graph_index.h"
#include "app/session/model/view/graph_values.h"
#include "app/session/work/large_thread.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/fuse/blockers.h"
#include "compiler/graph/fuse/group_kind.h"

namespace hidet::session {

using graph::Graph;
using graph::GraphPassInfo;
using graph::PassRecord;

namespace {

// Kernels, blockers, steps and memory as plain values.

// Of a kernel, for whatever extents are assumed.
struct KernelCost {
    double flops = 0, bytes = 0;
    bool is_launched = false; // else the host does it, or nothing is to be done
    perf::Factors factors = perf::Factors::Plain;

    perf::Need need(std::size_t launches) const { return {flops, bytes, launches, factors}; }
};

using namespace graph;

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

// Of a graph whose groups are formed.
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
                         !kernel.is_host && !is_view(graph, group), factors_of(graph, group.nodes)});
        if (costs.back().is_launched)
            kernel.least_seconds = predictor.seconds(costs.back().need(1));
    }
    for (const Blocker& blocker : partition.blockers)
        out.blockers.push_back(view_of(graph, blocker, false));
    return costs;
}

// Of the last graph; everything is one launch until it is planned.
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

// What is known once the model is planned: of the last graph the names of kernels and blockers within groups, and the rest.
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

// "Fold constants" for "fold-constants".
std::string title_of_pass(std::string name) {
    std::ranges::replace(name, '-', ' ');
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
}

GraphMatch match_of(const graph::Match& match) {
    return {match.rule, indices_of(match.before), indices_of(match.after), match.note};
}

// The graph before all passes and after each that changed it; every one shares with the one before what is the same.
class Graphs : public graph::GraphInstrument {
public:
    Graphs(Work& work, Predictor& predictor) : m_work(work), m_predictor(predictor) {}

    void add_import(const Graph& graph) {
        const auto out = std::make_shared<ModelGraph>();
        out->pass = "import";
        out->title = "Import";
        out->summary = "what the file says";
        add(out, graph);
    }

    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override {
        const int time = ++m_times[pass.name];
        const bool is_same = is_last(graph);
        const bool forms_groups = std::string_view(pass.name) == "fuse-operator";
        if (!record.is_on || m_work.stopped() || (is_same && record.matches.empty() && !forms_groups))
            return;
        const auto out = std::make_shared<ModelGraph>(is_same ? same_again() : ModelGraph());
        const bool is_again = time > 1;
        out->pass = pass.name + (is_again ? cat("#", time) : "");
        out->title = title_of_pass(pass.name) + (is_again ? cat(" (", time, ")") : "");
        out->summary = pass.summary;
        out->ms = record.milliseconds;
        for (const graph::Match& match : record.matches)
            out->matches.push_back(match_of(match));
        if (is_same)
            graphs.push_back(out);
        else
            add(out, graph);
    }

    // The last one gets its groups.
    const ModelGraph& add_kernels(const ModelStages& stages) {
        ModelGraph& last = copy_last();
        const auto index = places_of(*last.index);
        index->match_of_node = last.index->match_of_node;
        costs = fill_kernels(last, *index, stages, m_predictor);
        last.index = index;
        return last;
    }

    ModelGraph& copy_last() { // to be changed before it is published
        const auto copy = std::make_shared<ModelGraph>(*graphs.back());
        graphs.back() = copy;
        return *copy;
    }

    std::vector<std::shared_ptr<const ModelGraph>> graphs;
    std::vector<KernelCost> costs; // of the last one's kernels

private:
    void add(const std::shared_ptr<ModelGraph>& out, const Graph& graph) {
        const auto index = std::make_shared<ModelGraph::Index>();
        index->hashes = m_hashes;
        out->index = index;
        m_predictor.assume(graph);
        fill_graph(*out, *index, std::make_shared<const Graph>(graph), graphs.empty() ? nullptr : graphs.back().get(),
                   m_predictor, m_work.sources);
        graphs.push_back(out);
    }

    // A pass that only says something about the graph: which operators share a kernel.
    ModelGraph same_again() const {
        ModelGraph out = *graphs.back();
        out.matches.clear();
        out.added.clear();
        out.removed.clear();
        out.rewired.clear();
        out.index = places_of(*out.index);
        return out;
    }

    static std::shared_ptr<ModelGraph::Index> places_of(const ModelGraph::Index& from) {
        const auto index = std::make_shared<ModelGraph::Index>();
        index->graph = from.graph;
        index->place_of_node = from.place_of_node;
        index->place_of_value = from.place_of_value;
        index->hashes = from.hashes;
        return index;
    }

    bool is_last(const Graph& graph) const {
        const Graph& before = *graphs.back()->index->graph;
        if (before.node_slots() != graph.node_slots() || before.outputs() != graph.outputs())
            return false;
        for (std::uint32_t i = 0; i < graph.node_slots(); ++i)
            if (before.is_live({i}) != graph.is_live({i}) || before.node({i}).inputs != graph.node({i}).inputs)
                return false;
        return true;
    }

    Work& m_work;
    Predictor& m_predictor;
    const std::shared_ptr<SharedHashes> m_hashes = std::make_shared<SharedHashes>();
    std::map<std::string, int> m_times; // each pass has run
};

class Viewing {
public:
    Viewing(Work& work, const ModelViewRequest& request, ModelSnapshot& snapshot)
        : m_work(work), m_request(request), m_snapshot(snapshot), m_stages(work, request) {
        m_snapshot.path = request.path;
    }

    void run() {
        if (!m_stages.import())
            return;
        m_snapshot.name = m_stages.imported().name;
        m_snapshot.producer = m_stages.producer();
        m_snapshot.opset = m_stages.opset();
        if (is_script(m_request))
            for (const Span site : m_stages.scripts().traced_at())
                m_snapshot.traced.push_back(place_of(site, m_work.sources));
        m_snapshot.roofs = perf::roofs_of(m_stages.target());
        m_snapshot.is_for_gpu = m_stages.target().is_cuda();
        Predictor predictor(m_snapshot.roofs, m_request.dims);
        Graphs graphs(m_work, predictor);
        if (m_stages.guarded_by_model([&] {
                look_at_import(graphs);
                return true;
            }))
            optimise(graphs, predictor);
        m_snapshot.graphs = std::move(graphs.graphs);
    }

private:
    void look_at_import(Graphs& graphs) {
        m_work.enter("looking at the model");
        Work::Clock clock(m_work, "view");
        graphs.add_import(m_stages.imported());
        publish(ModelPhase::Imported, graphs);
    }

    void optimise(Graphs& graphs, Predictor& predictor) {
        const bool fine = m_stages.optimise({&graphs});
        m_snapshot.choices = m_stages.choices_text();
        for (const PassRecord& record : m_stages.optimised().records)
            for (const graph::PlacementRecord& each : record.placements)
                m_snapshot.placements[each.id.index] = each.placement;
        const bool is_whole = m_stages.optimised().records.size() == graph::graph_passes().size();
        if (!is_whole || m_work.stopped()) // a choice that cannot be heeded leaves the graph whole
            return;
        const auto look = [&] {
            const ModelGraph& last = graphs.add_kernels(m_stages);
            m_snapshot.totals = totals_of(last, graphs.costs, predictor);
            publish(ModelPhase::Optimised, graphs);
            return true;
        };
        if (!m_stages.guarded_by_model(look) || !fine || !m_request.plans || m_work.stopped())
            return;
        ModelCodeMaker code(m_work, m_stages, m_request.path);
        if (!m_stages.plan())
            return;
        fill_plan(m_snapshot, graphs.copy_last(), graphs.costs, m_stages, predictor);
        m_snapshot.code = code.take();
        m_snapshot.phase = ModelPhase::Planned;
    }

    // Not the last of all, which the caller publishes when it is judged.
    void publish(ModelPhase phase, const Graphs& graphs) {
        m_snapshot.phase = phase;
        m_snapshot.graphs = graphs.graphs;
        const bool is_last = phase == ModelPhase::Optimised && !m_request.plans;
        if (!m_request.published || is_last || m_work.stopped())
            return;
        const auto now = std::make_shared<ModelSnapshot>(m_snapshot);
        finish(m_work, *now);
        m_request.published(now);
    }

    Work& m_work;
    const ModelViewRequest& m_request;
    ModelSnapshot& m_snapshot;
    ModelStages m_stages;
};

} // namespace

SnapshotPtr view_model(const ModelViewRequest& request) {
    const auto snapshot = std::make_shared<ModelSnapshot>();
    on_large_thread([&] { // scripts and walks of graphs recurse
        *snapshot = answer<ModelSnapshot>(request, "view", [&](Work& work, ModelSnapshot& result) {
            result.path = request.path;
            Viewing(work, request, result).run();
        });
    });
    snapshot->is_complete = true;
    if (request.published)
        request.published(snapshot);
    return snapshot;
}

} // namespace hidet::session
