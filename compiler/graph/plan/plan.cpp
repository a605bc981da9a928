// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/graph/core/nesting.h"
#include "compiler/graph/fuse/group_kind.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/plan/arena.h"
#include "compiler/graph/plan/chunk.h"
#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/host_steps.h"
#include "compiler/graph/plan/lower_groups.h"
#include "compiler/graph/plan/requirements.h"
#include "compiler/ir/text/print.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::graph {

namespace {

using artifact::no_row;
using artifact::Place;
using artifact::PlanBody;
using artifact::PlanStep;
using artifact::PlanValue;
using artifact::Row;
using artifact::StepKind;

static_assert(most_nested_graphs <= static_cast<int>(artifact::most_nested));

PlanValue& add_value(PlanBody& body, const PlanValue& like, Place place, Row nothing) {
    PlanValue& value = body.values.emplace_back();
    value.name = like.name;
    value.dtype = like.dtype;
    value.place = place;
    value.bytes = nothing;
    return value;
}

// What a step makes the body of.
struct BodyGraph {
    std::shared_ptr<const Graph> graph;
    std::string problem; // of a branch that fits to no tensors that it can meet: it is refused when it is taken
};

// Sets the step's kind, and how it uses what it reads; its bodies are the caller's. None: the node has no graphs.
std::vector<BodyGraph> describe_control(const Node& node, PlanStep& step) {
    using GraphPtr = std::shared_ptr<const Graph>;
    if (node.is(OpId::OnnxIf)) {
        step.kind = StepKind::If;
        return {{node.get<GraphPtr>("then_branch"), node.get<std::string>("then_problem")},
                {node.get<GraphPtr>("else_branch"), node.get<std::string>("else_problem")}};
    }
    if (!node.is(OpId::OnnxLoop))
        return {};
    const Ints& has = node.get<Ints>("has");
    step.kind = StepKind::Loop;
    step.has_trips = has[0] != 0;
    step.has_condition = has[1] != 0;
    step.carried = static_cast<std::uint32_t>(node.get<std::int64_t>("carried"));
    return {{node.get<GraphPtr>("body"), ""}};
}

// The body of such a branch: it takes and makes what the step gives and wants.
PlanBody refusing_body(const PlanBody& outer, const PlanStep& step, const std::string& problem) {
    PlanBody body;
    Expressions expressions(body);
    const Row nothing = expressions.constant(0);
    for (std::size_t i = 1; i < step.reads.size(); ++i) {
        const PlanValue& given = outer.values[step.reads[i]];
        std::vector<Row> shape; // whatever it is
        for (std::size_t d = 0; d < given.shape.size(); ++d)
            shape.push_back(expressions.of(symbol_dim(cat(given.name, "_", i, "_", d))));
        body.inputs.push_back(static_cast<Row>(body.values.size()));
        add_value(body, given, Place::Input, nothing).shape = shape;
    }
    for (const Row wanted : step.writes) {
        const PlanValue& like = outer.values[wanted];
        body.outputs.push_back(static_cast<Row>(body.values.size()));
        add_value(body, like, Place::Output, nothing).shape.assign(like.shape.size(), nothing);
    }
    body.sections = {{0, 0, nothing, artifact::no_row}};
    body.requirements = {{nothing, braces_escaped(problem), {}}};
    return body;
}

// A body that a step waits for.
struct WantedBody {
    BodyGraph source;
    PlanBody refusing; // where there is a problem
};

// The plan of one graph: the model's, or that of a branch or a loop.
class Planner {
public:
    // What the whole plan has in common goes to `plan`, the rest to `body` and `sources`.
    Planner(const Graph& graph, const Partition& partition, Plan& plan, PlanBody& body,
            std::vector<StepSource>& sources)
        : m_graph(graph), m_partition(partition), m_plan(plan), m_body(body), m_sources(sources), m_expressions(body),
          m_rows(graph.value_slots(), no_row) {}

    // `programs`: rows of the plan's, by those of `lowered`.
    void run(LoweredGroups lowered, const std::vector<Row>& programs) {
        for (const ValueId input : m_graph.inputs)
            place_input(input);
        for (std::uint32_t i = 0; i < m_partition.groups.size(); ++i) {
            const Group& group = m_partition.groups[i];
            if (lowered.rows[i])
                add_call(i, std::move(*lowered.rows[i]), programs);
            else if (is_host(m_graph, group))
                add_host(i);
            else
                add_views(group);
        }
        end_section();
        for (const ValueId output : m_graph.outputs())
            m_body.outputs.push_back(row_of(output));
        find_lives();
        choose_memory();
        for (std::uint32_t i = 0; i < m_body.sections.size(); ++i)
            place_buffers(m_body, m_body.sections[i], m_expressions, buffers_of(i));
        add_requirements(m_graph, m_body, m_expressions);
    }
    std::vector<Row> take_rows() { return std::move(m_rows); }            // by value of the graph
    std::vector<WantedBody> take_wanted() { return std::move(m_wanted); } // in the order of the rows that they have

private:
    PlanValue& value(Row row) { return m_body.values[row]; }
    PlanValue& root(Row row) { return value(artifact::root_of(m_body, row)); }

    Row add_value(ValueId id, Place place) {
        const Value& given = m_graph.value(id);
        PlanValue row;
        row.name = given.shown_name().empty() ? cat("value ", id.index) : given.shown_name();
        row.dtype = ir::info(given.spec.dtype).name;
        row.place = place;
        row.shape = m_expressions.of(given.spec.shape);
        const Dim bytes = bytes_of(given.spec);
        row.bytes = m_expressions.of(bytes);
        m_bytes.push_back(bytes);
        m_body.values.push_back(std::move(row));
        return m_rows[id.index] = static_cast<Row>(m_body.values.size() - 1);
    }
    // Weights become values where something reads them.
    Row row_of(ValueId id) {
        if (m_rows[id.index] != no_row)
            return m_rows[id.index];
        const Value& given = m_graph.value(id);
        HIDET_CHECK(given.is_constant(), given.name);
        const Row row = add_value(id, Place::Constant);
        value(row).weight = static_cast<Row>(m_plan.launch.weights.size());
        m_plan.launch.weights.push_back(weight_of(*given.data));
        m_plan.weights.push_back(given.data);
        return row;
    }
    // What a constant becomes in another order is a weight of its own; the same for all that want the same.
    Row row_of(const PackedConstant& packed) {
        const Value& given = m_graph.value(packed.value);
        const auto [found, is_new] = m_packed.emplace(std::pair(packed.value.index, text_of(packed.task)), no_row);
        if (!is_new)
            return found->second;
        const lang::TensorRef data = run_task(packed.task, {given.data})[0];
        const TensorSpec spec = spec_of(*data);
        PlanValue row;
        row.name = cat(given.name.empty() ? cat("value ", packed.value.index) : given.name, " packed");
        row.dtype = ir::info(spec.dtype).name;
        row.place = Place::Constant;
        row.shape = m_expressions.of(spec.shape);
        const Dim bytes = bytes_of(spec);
        row.bytes = m_expressions.of(bytes);
        row.weight = static_cast<Row>(m_plan.launch.weights.size());
        m_plan.launch.weights.push_back(weight_of(*data));
        m_plan.weights.push_back(data);
        m_bytes.push_back(bytes);
        m_body.values.push_back(std::move(row));
        return found->second = static_cast<Row>(m_body.values.size() - 1);
    }
    std::vector<Row> rows_of(const std::vector<ValueId>& ids) {
        return transformed(ids, [&](const ValueId id) { return row_of(id); });
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
            artifact::PlanSymbol& row = m_body.symbols[m_expressions.symbol(symbol->name)];
            if (row.value == no_row) {
                row.value = m_rows[id.index];
                row.dimension = static_cast<std::uint32_t>(d);
            }
        }
        return is_new;
    }
    void place_input(ValueId id) {
        m_body.inputs.push_back(add_value(id, Place::Input));
        bind_symbols(id);
    }

    void add_views(const Group& group) {
        for (const NodeId id : group.nodes) {
            const Node& node = m_graph.node(id);
            const Row from = row_of(node.inputs[0]);
            const Row view = add_value(node.outputs[0], Place::Alias);
            value(view).of = artifact::root_of(m_body, from);
        }
    }

    void add_call(std::uint32_t group, LoweredGroups::Row row, const std::vector<Row>& programs) {
        PlanStep step;
        step.kind = StepKind::Call;
        step.function = programs[row.program];
        step.reads = rows_of(row.names.inputs);
        for (const PackedConstant& packed : row.names.packed)
            step.reads.push_back(row_of(packed));
        step.writes = add_results(row.names.outputs, Place::Arena);
        for (const Updated& each : row.names.in_place) {
            value(row_of(each.result)).place = Place::InPlace;
            value(row_of(each.result)).of = row_of(each.input);
        }
        for (const std::vector<Row>* values : {&step.reads, &step.writes})
            for (const Row each : *values)
                step.arguments.push_back({.value = each});
        if (row.names.workspace_bytes)
            step.arguments.push_back({.value = add_workspace(simplified(row.names.workspace_bytes))});
        for (const GroupProgram::Kernel& kernel : row.names.kernels) {
            if (kernel.is_alternative)
                continue;
            step.kernels.push_back(kernel.name);
            std::ranges::move(names_of(m_graph, kernel.nodes), std::back_inserter(step.operators));
        }
        add(std::move(step), {m_partition.groups[group].anchor, group, std::move(row.names.outputs),
                              std::move(row.names.kernels), std::move(row.nodes), std::move(row.names.schedule)});
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
        m_body.values.push_back(std::move(workspace));
        return static_cast<Row>(m_body.values.size() - 1);
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
        const std::vector<BodyGraph> bodies = describe_control(node, step);
        for (const BodyGraph& each : bodies)
            add_body(step, each);
        if (bodies.empty())
            describe_host(node, step, m_plan.launch, m_expressions, m_plan.weights);
        add(std::move(step), {id, group, node.outputs, {}, {}});
        bool invents = false;
        for (const ValueId output : node.outputs)
            invents |= bind_symbols(output);
        if (invents)
            end_section();
    }

    void add_body(PlanStep& step, const BodyGraph& source) {
        step.bodies.push_back(static_cast<Row>(m_plan.launch.bodies.size()));
        m_plan.launch.bodies.emplace_back();
        m_wanted.push_back({source, source.problem.empty() ? PlanBody() : refusing_body(m_body, step, source.problem)});
    }

    std::int32_t step_number() { return static_cast<std::int32_t>(m_body.steps.size()); }
    std::vector<Row> add_results(const std::vector<ValueId>& outputs, Place place) {
        std::vector<Row> rows;
        for (const ValueId output : outputs) {
            rows.push_back(add_value(output, place));
            value(rows.back()).first_step = value(rows.back()).last_step = step_number();
        }
        return rows;
    }
    void add(PlanStep step, StepSource source) {
        step.section = static_cast<std::uint32_t>(m_body.sections.size());
        m_body.steps.push_back(std::move(step));
        m_sources.push_back(std::move(source));
    }

    void end_section() {
        artifact::PlanSection section;
        section.first_step = m_body.sections.empty() ? 0 : m_body.sections.back().end_step;
        section.end_step = static_cast<std::uint32_t>(m_body.steps.size());
        m_body.sections.push_back(section);
    }

    void find_lives() {
        for (std::int32_t i = 0; i < step_number(); ++i) {
            const PlanStep& step = m_body.steps[static_cast<std::size_t>(i)];
            for (const std::vector<Row>* values : {&step.reads, &step.writes})
                for (const Row each : *values)
                    value(each).last_step = root(each).last_step = i;
        }
    }

    // What the caller gets, and what host operators read on their side of a GPU, has memory of its own.
    void choose_memory() {
        for (const Row output : m_body.outputs) {
            PlanValue& own = root(output);
            own.last_step = step_number(); // after all of them
            if (own.place == Place::Arena)
                own.place = Place::Output;
        }
        if (!m_plan.target.is_cuda())
            return;
        for (const PlanStep& step : m_body.steps)
            if (artifact::is_on_host(step.kind))
                for (const Row each : step.reads)
                    if (root(each).place == Place::Arena)
                        root(each).place = Place::Host;
    }

    std::vector<PlannedBuffer> buffers_of(std::uint32_t section) {
        std::vector<PlannedBuffer> buffers;
        for (Row row = 0; row < m_body.values.size(); ++row) {
            const PlanValue& each = value(row);
            if (each.place == Place::Arena &&
                m_body.steps[static_cast<std::size_t>(each.first_step)].section == section)
                buffers.push_back({row, m_bytes[row], each.first_step, each.last_step});
        }
        return buffers;
    }

    const Graph& m_graph;
    const Partition& m_partition;
    Plan& m_plan;
    PlanBody& m_body;
    std::vector<StepSource>& m_sources;
    Expressions m_expressions;
    std::vector<Row> m_rows;                                       // by value of the graph
    std::map<std::pair<std::uint32_t, std::string>, Row> m_packed; // by constant and what becomes of it
    std::vector<WantedBody> m_wanted;
    std::vector<Dim> m_bytes;      // by row of the values
    std::set<std::string> m_known; // symbols
};

// Of a graph and of all that it has inside of it. Bodies are numbered as steps ask for them.
class PlanMaker {
public:
    PlanMaker(const PlanOptions& options, const GroupLowering& lower) : m_options(options), m_lower(lower) {
        m_out.target = options.target;
        m_out.launch.target = target_kind_name(options.target.kind);
    }

    Plan run(const Graph& graph, const Partition& partition) {
        m_out.launch.name = graph.name;
        std::optional<std::vector<Row>> rows = add(graph, partition, m_out.launch, m_out.sources);
        if (!rows)
            return Plan();
        m_out.rows = std::move(*rows);
        for (std::size_t i = 0; i < m_wanted.size(); ++i)
            if (!add_body(i))
                return Plan();
        return std::move(m_out);
    }

private:
    bool add_body(std::size_t i) {
        const WantedBody wanted = std::move(m_wanted[i]);
        PlannedBody planned;
        PlanBody body = wanted.refusing;
        if (wanted.source.problem.empty()) {
            auto graph = std::make_shared<Graph>(*wanted.source.graph);
            GraphOptions passes = m_options.passes;
            passes.target = m_options.target;
            passes.cancelled = m_options.cancelled;
            passes.checks_inputs = true; // they are results of the operators around it
            const Optimised optimised = optimise(*graph, passes);
            const auto reported = static_cast<std::ptrdiff_t>(m_out.blockers.size());
            if (optimised.is_cancelled || !add(*graph, optimised.partition, body, planned.sources))
                return false;
            m_out.blockers.erase(m_out.blockers.begin() + reported, m_out.blockers.end()); // nodes are the body's
            planned.graph = std::move(graph);
        }
        m_out.launch.bodies[i] = std::move(body);
        m_out.bodies.push_back(std::move(planned));
        return true;
    }

    // Rows by value; nothing: it was cancelled.
    std::optional<std::vector<Row>> add(const Graph& graph, const Partition& partition, PlanBody& body,
                                        std::vector<StepSource>& sources) {
        const auto is_launched = [&](const Group& group) { return !is_host(graph, group) && !is_view(graph, group); };
        LoweredGroups lowered = lower_groups(graph, partition, m_options, m_lower, is_launched);
        if (lowered.cancelled)
            return std::nullopt;
        std::vector<Row> programs;
        for (PlannedProgram& program : lowered.programs)
            programs.push_back(row_of(std::move(program)));
        Planner planner(graph, partition, m_out, body, sources);
        planner.run(std::move(lowered), programs);
        std::ranges::move(planner.take_wanted(), std::back_inserter(m_wanted));
        return planner.take_rows();
    }
    Row row_of(PlannedProgram program) {
        const auto is_same = [&](const PlannedProgram& other) {
            return other.key == program.key &&
                   ir::print_module(*other.module).text == ir::print_module(*program.module).text;
        };
        const auto found = std::ranges::find_if(m_out.programs, is_same);
        const auto row = static_cast<Row>(found - m_out.programs.begin());
        if (found != m_out.programs.end())
            return row;
        m_out.launch.modules.push_back({program.key});
        m_out.launch.functions.push_back({row, merged_name("launch", row), {}, {}});
        m_out.programs.push_back(std::move(program));
        return row;
    }

    const PlanOptions& m_options;
    const GroupLowering& m_lower;
    Plan m_out;
    std::vector<WantedBody> m_wanted; // by row of the bodies
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
    return PlanMaker(options, lower).run(graph, partition);
}

} // namespace hidet::graph
