// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/plan.h"

#include <algorithm>
#include <set>

#include "compiler/graph/plan/arena.h"
#include "compiler/graph/plan/chunk.h"
#include "compiler/graph/plan/host_steps.h"
#include "compiler/graph/plan/lower_groups.h"
#include "compiler/graph/plan/requirements.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using artifact::no_row;
using artifact::Place;
using artifact::PlanStep;
using artifact::PlanValue;
using artifact::Row;
using artifact::StepKind;

bool is_host(const Graph& graph, const Group& group) {
    return !graph.node(group.anchor).task;
}

// Nothing is computed: the results are views of what the group reads.
bool is_view(const Graph& graph, const Group& group) {
    return std::ranges::all_of(group.nodes, [&](NodeId node) { return graph.node(node).op->shares_memory; });
}

class Planner {
public:
    Planner(const Graph& graph, const Partition& partition, const PlanOptions& options)
        : m_graph(graph), m_partition(partition), m_expressions(m_plan.launch) {
        m_plan.target = options.target;
        m_plan.launch.name = graph.name;
        m_plan.launch.target = target_kind_name(options.target.kind);
        m_plan.rows.assign(graph.value_slots(), no_row);
    }

    Plan run(LoweredGroups lowered) {
        add_programs(std::move(lowered.programs));
        for (const ValueId input : m_graph.inputs)
            place_input(input);
        for (std::uint32_t i = 0; i < m_partition.groups.size(); ++i) {
            const Group& group = m_partition.groups[i];
            if (lowered.rows[i])
                add_call(i, std::move(*lowered.rows[i]));
            else if (is_host(m_graph, group))
                add_host(i);
            else
                add_views(group);
        }
        end_section();
        for (const ValueId output : m_graph.outputs())
            launch().outputs.push_back(row_of(output));
        find_lives();
        choose_memory();
        for (std::uint32_t i = 0; i < launch().sections.size(); ++i)
            place_buffers(launch(), launch().sections[i], m_expressions, buffers_of(i));
        add_requirements(m_graph, launch(), m_expressions);
        return std::move(m_plan);
    }

private:
    artifact::LaunchPlan& launch() { return m_plan.launch; }
    PlanValue& value(Row row) { return launch().values[row]; }
    PlanValue& root(Row row) { return value(artifact::root_of(launch(), row)); }

    Row add_value(ValueId id, Place place) {
        const Value& given = m_graph.value(id);
        PlanValue row;
        row.name = given.name.empty() ? cat("value ", id.index) : given.name;
        row.dtype = ir::info(given.spec.dtype).name;
        row.place = place;
        row.shape = m_expressions.of(given.spec.shape);
        const Dim bytes = bytes_of(given.spec);
        row.bytes = m_expressions.of(bytes);
        m_bytes.push_back(bytes);
        launch().values.push_back(std::move(row));
        return m_plan.rows[id.index] = static_cast<Row>(launch().values.size() - 1);
    }
    // Weights become values where something reads them.
    Row row_of(ValueId id) {
        if (m_plan.rows[id.index] != no_row)
            return m_plan.rows[id.index];
        const Value& given = m_graph.value(id);
        HIDET_CHECK(given.is_constant(), given.name);
        const Row row = add_value(id, Place::Constant);
        value(row).weight = static_cast<Row>(launch().weights.size());
        launch().weights.push_back(weight_of(*given.data));
        m_plan.weights.push_back(given.data);
        return row;
    }
    std::vector<Row> rows_of(const std::vector<ValueId>& ids) {
        std::vector<Row> rows;
        for (const ValueId id : ids)
            rows.push_back(row_of(id));
        return rows;
    }

    // A symbol has its value from where it first stands alone.
    bool bind_symbols(ValueId id) {
        bool is_new = false;
        const Shape& shape = m_graph.value(id).spec.shape;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            for (const std::string& name : symbols_of({shape[d]}))
                is_new |= m_known.insert(name).second;
            const auto* symbol = ir::as<ir::SymbolVar>(shape[d]);
            if (!symbol)
                continue;
            artifact::PlanSymbol& row = launch().symbols[m_expressions.symbol(symbol->name)];
            if (row.value == no_row) {
                row.value = m_plan.rows[id.index];
                row.dimension = static_cast<std::uint32_t>(d);
            }
        }
        return is_new;
    }
    void place_input(ValueId id) {
        launch().inputs.push_back(add_value(id, Place::Input));
        bind_symbols(id);
    }

    void add_programs(std::vector<PlannedProgram> programs) {
        for (std::size_t i = 0; i < programs.size(); ++i) {
            launch().modules.push_back({programs[i].key});
            launch().functions.push_back({static_cast<Row>(i), merged_name("launch", i), {}, {}});
        }
        m_plan.programs = std::move(programs);
    }

    void add_views(const Group& group) {
        for (const NodeId id : group.nodes) {
            const Node& node = m_graph.node(id);
            const Row from = row_of(node.inputs[0]);
            const Row view = add_value(node.outputs[0], Place::Alias);
            value(view).of = artifact::root_of(launch(), from);
        }
    }

    void add_call(std::uint32_t group, LoweredGroups::Row row) {
        PlanStep step;
        step.kind = StepKind::Call;
        step.function = row.program;
        step.reads = rows_of(row.names.inputs);
        step.writes = add_results(row.names.outputs, Place::Arena);
        for (const std::vector<Row>* values : {&step.reads, &step.writes})
            for (const Row each : *values)
                step.arguments.push_back({.value = each});
        if (row.names.workspace_bytes)
            step.arguments.push_back({.value = add_workspace(simplified(row.names.workspace_bytes))});
        for (const GroupProgram::Kernel& kernel : row.names.kernels) {
            step.kernels.push_back(kernel.name);
            std::ranges::move(names_of(m_graph, kernel.nodes), std::back_inserter(step.operators));
        }
        add(std::move(step), {m_partition.groups[group].anchor, group, std::move(row.names.outputs),
                              std::move(row.names.kernels), std::move(row.nodes)});
        std::ranges::move(row.names.blockers, std::back_inserter(m_plan.blockers));
    }
    Row add_workspace(const Dim& bytes) {
        PlanValue workspace;
        workspace.name = "workspace";
        workspace.dtype = ir::info(ir::DType::U8).name;
        workspace.place = Place::Arena;
        workspace.bytes = m_expressions.of(bytes);
        workspace.shape = {workspace.bytes};
        workspace.first_step = workspace.last_step = step_number();
        m_bytes.push_back(bytes);
        launch().values.push_back(std::move(workspace));
        return static_cast<Row>(launch().values.size() - 1);
    }

    void add_host(std::uint32_t group) {
        const NodeId id = m_partition.groups[group].anchor;
        const Node& node = m_graph.node(id);
        PlanStep step;
        step.kind = StepKind::Host;
        step.reads = rows_of(node.inputs);
        step.writes = add_results(node.outputs, Place::Host);
        step.kernels = {node.op->name};
        step.operators = names_of(m_graph, {id});
        describe_host(node, step, launch(), m_expressions, m_plan.weights);
        add(std::move(step), {id, group, node.outputs, {}, {}});
        bool invents = false;
        for (const ValueId output : node.outputs)
            invents |= bind_symbols(output);
        if (invents)
            end_section();
    }

    std::int32_t step_number() { return static_cast<std::int32_t>(launch().steps.size()); }
    std::vector<Row> add_results(const std::vector<ValueId>& outputs, Place place) {
        std::vector<Row> rows;
        for (const ValueId output : outputs) {
            rows.push_back(add_value(output, place));
            value(rows.back()).first_step = value(rows.back()).last_step = step_number();
        }
        return rows;
    }
    void add(PlanStep step, StepSource source) {
        step.section = static_cast<std::uint32_t>(launch().sections.size());
        launch().steps.push_back(std::move(step));
        m_plan.sources.push_back(std::move(source));
    }

    void end_section() {
        artifact::PlanSection section;
        section.first_step = launch().sections.empty() ? 0 : launch().sections.back().end_step;
        section.end_step = static_cast<std::uint32_t>(launch().steps.size());
        launch().sections.push_back(section);
    }

    void find_lives() {
        for (std::int32_t i = 0; i < step_number(); ++i) {
            const PlanStep& step = launch().steps[static_cast<std::size_t>(i)];
            for (const std::vector<Row>* values : {&step.reads, &step.writes})
                for (const Row each : *values)
                    value(each).last_step = root(each).last_step = i;
        }
    }

    // What the caller gets, and what host operators read on their side of a GPU, has memory of its own.
    void choose_memory() {
        for (const Row output : launch().outputs) {
            PlanValue& own = root(output);
            own.last_step = step_number(); // after all of them
            if (own.place == Place::Arena)
                own.place = Place::Output;
        }
        if (!m_plan.target.is_cuda())
            return;
        for (const PlanStep& step : launch().steps)
            if (step.kind == StepKind::Host)
                for (const Row each : step.reads)
                    if (root(each).place == Place::Arena)
                        root(each).place = Place::Host;
    }

    std::vector<PlannedBuffer> buffers_of(std::uint32_t section) {
        std::vector<PlannedBuffer> buffers;
        for (Row row = 0; row < launch().values.size(); ++row) {
            const PlanValue& each = value(row);
            if (each.place == Place::Arena &&
                launch().steps[static_cast<std::size_t>(each.first_step)].section == section)
                buffers.push_back({row, m_bytes[row], each.first_step, each.last_step});
        }
        return buffers;
    }

    const Graph& m_graph;
    const Partition& m_partition;
    Plan m_plan;
    Expressions m_expressions;
    std::vector<Dim> m_bytes;      // by row of the values
    std::set<std::string> m_known; // symbols
};

} // namespace

std::string name_of(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    if (!node.name.empty())
        return node.name;
    for (const NodeId replaced : node.replaces)
        if (replaced.index < id.index)
            if (std::string name = name_of(graph, replaced); !name.empty())
                return name;
    return node.op ? node.op->name : "";
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<NodeId>& nodes) {
    std::vector<std::string> names;
    for (const NodeId node : nodes)
        if (std::string name = name_of(graph, node); names.empty() || names.back() != name)
            names.push_back(std::move(name));
    return names;
}

Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options, const GroupLowering& lower) {
    const auto is_launched = [&](const Group& group) { return !is_host(graph, group) && !is_view(graph, group); };
    LoweredGroups lowered = lower_groups(graph, partition, options, lower, is_launched);
    return lowered.cancelled ? Plan() : Planner(graph, partition, options).run(std::move(lowered));
}

} // namespace hidet::graph
