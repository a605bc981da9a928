// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/plan.h"

#include <algorithm>
#include <set>

#include "compiler/graph/plan/lower_groups.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

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
        : m_graph(graph), m_partition(partition) {
        m_plan.target = options.target;
        m_plan.placements.resize(graph.value_slots());
    }

    Plan run(LoweredGroups lowered) {
        place_given();
        for (std::uint32_t i = 0; i < m_partition.groups.size(); ++i) {
            const Group& group = m_partition.groups[i];
            if (lowered.rows[i])
                add_launch(i, std::move(*lowered.rows[i]));
            else if (is_host(m_graph, group))
                add_host(i);
            else
                add_views(group);
        }
        m_plan.programs = std::move(lowered.programs);
        end_section();
        find_lives();
        choose_memory();
        collect_buffers();
        for (Section& section : m_plan.sections)
            fix_offsets(section);
        sum_up();
        return std::move(m_plan);
    }

private:
    Placement& placement(ValueId id) { return m_plan.placements[id.index]; }
    ValueId root_of(ValueId id) { return placement(id).kind == Placement::Kind::Alias ? placement(id).alias_of : id; }

    void place_given() {
        for (std::uint32_t i = 0; i < m_graph.value_slots(); ++i) {
            const Value& value = m_graph.value({i});
            if (value.is_constant())
                m_plan.placements[i] = {Placement::Kind::Constant, nullptr, bytes_of(value.spec), {}, -1, -1};
        }
        for (const ValueId input : m_graph.inputs) {
            placement(input) = {Placement::Kind::Input, nullptr, bytes_of(m_graph.value(input).spec), {}, -1, -1};
            for (const std::string& name : symbols_of(m_graph.value(input).spec.shape))
                m_known.insert(name);
        }
    }

    void add_views(const Group& group) {
        for (const NodeId id : group.nodes) {
            const Node& node = m_graph.node(id);
            Placement& view = placement(node.outputs[0]);
            view.kind = Placement::Kind::Alias;
            view.alias_of = root_of(node.inputs[0]);
            view.bytes = bytes_of(m_graph.value(node.outputs[0]).spec);
        }
    }

    void add_launch(std::uint32_t group, LoweredGroups::Row row) {
        Step step;
        step.program = row.program;
        step.node = m_partition.groups[group].anchor;
        step.group = group;
        step.arguments = row.names.inputs;
        step.arguments.insert(step.arguments.end(), row.names.outputs.begin(), row.names.outputs.end());
        step.outputs = std::move(row.names.outputs);
        step.kernels = std::move(row.names.kernels);
        step.nodes = std::move(row.nodes);
        if (row.names.workspace_bytes)
            step.workspace_bytes = simplified(row.names.workspace_bytes);
        add(std::move(step), Placement::Kind::Arena);
        std::ranges::move(row.names.refusals, std::back_inserter(m_plan.refusals));
    }

    void add_host(std::uint32_t group) {
        const NodeId id = m_partition.groups[group].anchor;
        const Node& node = m_graph.node(id);
        Step step;
        step.kind = Step::Kind::Host;
        step.node = id;
        step.group = group;
        step.arguments = node.inputs;
        step.arguments.insert(step.arguments.end(), node.outputs.begin(), node.outputs.end());
        step.outputs = node.outputs;
        add(std::move(step), Placement::Kind::Host);
        bool invents = false;
        for (const ValueId output : node.outputs)
            for (const std::string& name : symbols_of(m_graph.value(output).spec.shape))
                invents |= m_known.insert(name).second;
        if (invents)
            end_section();
    }

    void add(Step step, Placement::Kind kind) {
        const auto number = static_cast<std::int32_t>(m_plan.steps.size());
        step.section = static_cast<std::uint32_t>(m_plan.sections.size());
        for (const ValueId output : step.outputs)
            placement(output) = {kind, nullptr, bytes_of(m_graph.value(output).spec), {}, number, number};
        m_plan.steps.push_back(std::move(step));
    }

    void end_section() {
        Section section;
        section.first_step = m_plan.sections.empty() ? 0 : m_plan.sections.back().end_step;
        section.end_step = static_cast<std::uint32_t>(m_plan.steps.size());
        m_plan.sections.push_back(std::move(section));
    }

    void find_lives() {
        for (std::uint32_t i = 0; i < m_plan.steps.size(); ++i)
            for (const ValueId argument : m_plan.steps[i].arguments) {
                placement(argument).last_step = static_cast<std::int32_t>(i);
                Placement& root = placement(root_of(argument));
                root.last_step = static_cast<std::int32_t>(i);
            }
    }

    // What the caller gets, and what host operators read on their side of a GPU, has memory of its own.
    void choose_memory() {
        for (const ValueId output : m_graph.outputs()) {
            Placement& root = placement(root_of(output));
            root.last_step = static_cast<std::int32_t>(m_plan.steps.size()); // after all of them
            if (root.kind == Placement::Kind::Arena)
                root.kind = Placement::Kind::Output;
        }
        if (!m_plan.target.is_cuda())
            return;
        for (const Step& step : m_plan.steps)
            for (const ValueId argument : step.arguments)
                if (Placement& root = placement(root_of(argument));
                    step.kind == Step::Kind::Host && root.kind == Placement::Kind::Arena)
                    root.kind = Placement::Kind::Host;
    }

    void collect_buffers() {
        for (std::uint32_t i = 0; i < m_plan.steps.size(); ++i) {
            const Step& step = m_plan.steps[i];
            Section& section = m_plan.sections[step.section];
            const auto number = static_cast<std::int32_t>(i);
            for (const ValueId output : step.outputs)
                if (const Placement& place = placement(output); place.kind == Placement::Kind::Arena)
                    section.buffers.push_back({output, place.bytes, place.first_step, place.last_step});
            if (step.workspace_bytes)
                section.buffers.push_back({{}, step.workspace_bytes, number, number});
        }
    }

    void fix_offsets(Section& section) {
        for (const PlannedBuffer& buffer : section.buffers)
            if (!constant_of(buffer.bytes))
                return;
        const ArenaLayout layout = arena_of(section, {});
        section.arena_bytes = dim(layout.bytes);
        section.liveness_bound = dim(layout.bound);
        for (std::size_t i = 0; i < section.buffers.size(); ++i) {
            const PlannedBuffer& buffer = section.buffers[i];
            if (buffer.value.valid())
                placement(buffer.value).offset = dim(layout.offsets[i]);
            else
                m_plan.steps[static_cast<std::size_t>(buffer.first)].workspace_offset = dim(layout.offsets[i]);
        }
    }

    void sum_up() {
        m_plan.arena_bytes = dim(0);
        m_plan.liveness_bound = dim(0);
        for (const Section& section : m_plan.sections) {
            if (!section.arena_bytes) {
                m_plan.arena_bytes = nullptr;
                m_plan.liveness_bound = nullptr;
                return;
            }
            m_plan.arena_bytes = ir::add(m_plan.arena_bytes, section.arena_bytes);
            m_plan.liveness_bound = ir::add(m_plan.liveness_bound, section.liveness_bound);
        }
    }

    const Graph& m_graph;
    const Partition& m_partition;
    Plan m_plan;
    std::set<std::string> m_known; // symbols
};

} // namespace

const char* placement_name(Placement::Kind kind) {
    constexpr const char* names[] = {"none", "input", "constant", "arena", "output", "host", "alias"};
    return names[static_cast<std::size_t>(kind)];
}

Plan make_plan(const Graph& graph, const Partition& partition, const PlanOptions& options, const GroupLowering& lower) {
    const auto is_launched = [&](const Group& group) { return !is_host(graph, group) && !is_view(graph, group); };
    LoweredGroups lowered = lower_groups(graph, partition, options, lower, is_launched);
    return lowered.cancelled ? Plan() : Planner(graph, partition, options).run(std::move(lowered));
}

ArenaLayout arena_of(const Section& section, const SymbolValues& symbols) {
    constexpr std::int64_t most = std::int64_t{1} << 46; // what a process can address, with room for the sum
    std::vector<BufferLife> lives;
    for (const PlannedBuffer& buffer : section.buffers) {
        const auto bytes = evaluate(buffer.bytes, symbols);
        if (!bytes || *bytes < 0 || *bytes > most)
            throw OpError(bytes ? cat("a tensor of ", *bytes, " bytes is too large")
                                : cat("the size of a tensor, ", text_of(buffer.bytes), " bytes, is not known"));
        lives.push_back({*bytes, buffer.first, buffer.last});
    }
    return lay_out(lives);
}

} // namespace hidet::graph
