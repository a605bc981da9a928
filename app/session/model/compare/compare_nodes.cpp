// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/compare_nodes.h"

#include <algorithm>
#include <cmath>

#include "app/session/compare/tolerance.h"
#include "compiler/graph/core/data.h"
#include "lang/base/ranges.h"
#include "lang/tensor/npy.h"

namespace hidet::session {

using namespace graph;

namespace {

// The model as it was imported, each operator for itself, in float64: what a run is compared with, node by node.

// Every float of the graph becomes a float64. Ids of values are others; `values` finds the double of a value.
struct DoubledGraph {
    graph::Graph graph;
    std::map<std::uint32_t, graph::ValueId> values;
};

ir::DType doubled(ir::DType dtype) {
    return ir::is_float(dtype) ? ir::DType::F64 : dtype;
}

lang::TensorRef doubled(const lang::TensorRef& tensor) {
    if (!tensor || !ir::is_float(tensor->dtype) || tensor->dtype == ir::DType::F64)
        return tensor;
    lang::TensorRef wide(new lang::Tensor(*tensor));
    wide->dtype = ir::DType::F64;
    wide->offset = 0;
    wide->storage =
        std::make_shared<lang::Storage>(static_cast<std::size_t>(std::max<std::int64_t>(tensor->count(), 1)) * 8);
    lang::write_doubles(*wide, lang::read_doubles(*tensor));
    return wide;
}

Attribute doubled(const Attribute& attribute) {
    if (const auto* dtype = std::get_if<ir::DType>(&attribute))
        return doubled(*dtype);
    if (const auto* tensor = std::get_if<lang::TensorRef>(&attribute))
        return doubled(*tensor);
    return attribute;
}

class Doubler {
public:
    explicit Doubler(const Graph& from) : m_from(from) {}

    DoubledGraph run() {
        for (const ValueId input : m_from.inputs) {
            const Value& value = m_from.value(input);
            m_out.values[input.index] =
                m_out.graph.add_input(value.name, {doubled(value.spec.dtype), value.spec.shape});
        }
        for (const NodeId id : m_from.topological())
            add(id);
        m_out.graph.set_outputs(transformed(m_from.outputs(), [&](const ValueId output) { return map(output); }));
        return std::move(m_out);
    }

private:
    ValueId map(ValueId id) {
        const auto found = m_out.values.find(id.index);
        if (found != m_out.values.end())
            return found->second;
        const Value& value = m_from.value(id);
        HIDET_CHECK(value.is_constant(), value.name);
        return m_out.values[id.index] = m_out.graph.add_constant(doubled(value.data), value.name);
    }

    ValueId cast(ValueId id, ir::DType dtype) {
        if (m_out.graph.value(id).spec.dtype == dtype)
            return id;
        return m_out.graph.add_one(op_info::Cast(), {id}, {{"dtype", dtype}});
    }

    void add(NodeId id) {
        const Node& node = m_from.node(id);
        const std::vector<ValueId> inputs = transformed(node.inputs, [&](const ValueId input) { return map(input); });
        Attributes attributes;
        for (const auto& [name, value] : node.attributes.items())
            attributes.set(name, doubled(value));
        graph::NodeOrigin origin;
        origin.name = node.name;
        if (node.is(OpId::OpaqueOperator))
            throw OpError("'" + node.get<std::string>("name") +
                          "' is opaque: it has kernels and no definition, so there is nothing to compare a run with");
        // What these make is said by their attributes and by the graphs in them.
        if (node.is_any_of({OpId::OnnxNode, OpId::OnnxIf, OpId::OnnxLoop}))
            return add_as_it_is(node, inputs, origin);
        try {
            set_results(node, m_out.graph.add(*node.op, inputs, attributes, origin));
        } catch (const OpError&) { // an operator that takes no float64
            add_as_it_is(node, inputs, origin);
        }
    }

    void add_as_it_is(const Node& node, std::vector<ValueId> inputs, const graph::NodeOrigin& origin) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            inputs[i] = cast(inputs[i], m_from.value(node.inputs[i]).spec.dtype);
        std::vector<ValueId> results = m_out.graph.add(*node.op, inputs, node.attributes, origin);
        for (ValueId& result : results)
            result = cast(result, doubled(m_out.graph.value(result).spec.dtype));
        set_results(node, results);
    }

    void set_results(const Node& node, const std::vector<ValueId>& results) {
        for (std::size_t i = 0; i < results.size(); ++i)
            m_out.values[node.outputs[i].index] = results[i];
    }

    const Graph& m_from;
    DoubledGraph m_out;
};

// The last of the imported nodes that a node stands for: what it computes is what that one computed.
class Ancestors {
public:
    Ancestors(const Graph& imported, const Graph& optimised) : m_imported(imported), m_optimised(optimised) {
        const std::vector<NodeId> order = imported.topological();
        m_places.assign(imported.node_slots(), -1);
        for (std::size_t i = 0; i < order.size(); ++i)
            m_places[order[i].index] = static_cast<std::int64_t>(i);
    }

    NodeId last(NodeId id) const {
        if (id.index < m_imported.node_slots())
            return id;
        NodeId best;
        for (const NodeId replaced : m_optimised.node(id).replaces)
            if (replaced.index < id.index)
                if (const NodeId found = last(replaced); found.valid() && (!best.valid() || place(found) > place(best)))
                    best = found;
        return best;
    }

private:
    std::int64_t place(NodeId id) const { return m_places[id.index]; }

    const Graph& m_imported;
    const Graph& m_optimised;
    std::vector<std::int64_t> m_places;
};

DoubledGraph doubled(const Graph& graph) {
    return Doubler(graph).run();
}

// The values of the imported graph that are computed again after the passes: by value of the optimised graph.
std::map<std::uint32_t, ValueId> counterparts(const Graph& imported, const Graph& optimised) {
    const Ancestors ancestors(imported, optimised);
    std::map<std::uint32_t, ValueId> out;
    for (const NodeId id : optimised.topological()) {
        const NodeId origin = ancestors.last(id);
        if (!origin.valid())
            continue;
        const Node& node = optimised.node(id);
        const Node& old = imported.node(origin);
        if (node.outputs.size() != old.outputs.size())
            continue;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const Value& made = optimised.value(node.outputs[i]);
            const Value& said = imported.value(old.outputs[i]);
            // What a rule puts in the place of a value has its name; what it makes on the way may be anything.
            const bool is_same = id == origin || (!said.name.empty() && made.name == said.name);
            if (is_same && same_shape(made.spec.shape, said.spec.shape))
                out[node.outputs[i].index] = old.outputs[i];
        }
    }
    return out;
}

using Doubles = lang::Doubles;

// The unfused model on the CPU, where any type can be compiled.
class ReferenceRun {
public:
    ReferenceRun(Work& work, const ModelRequest& request, DoubledGraph doubled) : m_work(work), m_request(request) {
        m_run.target = Target::Cpu;
        m_run.tools = request.tools;
        m_run.cancelled = request.cancelled;
        m_engine = std::make_unique<ScriptEngine>(work, m_run);
        m_values = std::move(doubled.values);
        m_compiled->graph = std::move(doubled.graph);
        for (const NodeId node : m_compiled->graph.topological())
            m_compiled->partition.groups.push_back({node, {node}, {Role::Anchor}});
        PlanOptions options;
        options.cancelled = request.cancelled;
        m_compiled->plan = make_plan(m_compiled->graph, m_compiled->partition, options);
        m_runner = std::make_unique<GraphRunner>(m_compiled, *m_engine);
    }

    // Elements of the wanted values of the imported graph.
    std::optional<ReferenceValues> run(const Tensors& inputs, const std::vector<ValueId>& wanted) {
        if (!m_runner->build(m_work.sink))
            return std::nullopt;
        Tensors wide;
        for (const lang::TensorRef& input : inputs)
            wide.push_back(doubled(input));
        std::map<std::uint32_t, std::vector<std::uint32_t>> wanted_of; // by value of the doubled graph
        for (const ValueId id : wanted)
            if (const auto found = m_values.find(id.index); found != m_values.end())
                wanted_of[found->second.index].push_back(id.index);
        ReferenceValues out;
        const StepProgress progress(m_request, "running the reference");
        PlanRunner& runner = m_runner->plan_runner();
        runner.bind(wide);
        const Plan& plan = m_compiled->plan;
        for (std::uint32_t i = 0; i < plan.sources.size(); ++i) {
            if (m_work.stopped() || !runner.run_step(i, m_work.sink))
                return std::nullopt;
            for (const ValueId made : plan.sources[i].outputs)
                if (const auto found = wanted_of.find(made.index); found != wanted_of.end())
                    if (const lang::TensorRef tensor = runner.tensor(plan.rows[made.index]))
                        for (const std::uint32_t id : found->second)
                            out[id] = lang::read_doubles(*tensor);
            progress.done(i + 1, plan.sources.size());
        }
        return out;
    }

private:
    Work& m_work;
    const ModelRequest& m_request;
    RunRequest m_run;
    std::unique_ptr<ScriptEngine> m_engine;
    std::shared_ptr<CompiledGraph> m_compiled = std::make_shared<CompiledGraph>();
    std::unique_ptr<GraphRunner> m_runner;
    std::map<std::uint32_t, ValueId> m_values;
};

// Rounded to the type of what was made, what is wanted is right too: where that has no such number, its infinity, NaN or end.
lang::TensorRef wanted_of(const lang::Tensor& made, Doubles wanted) {
    if (ir::is_float(made.dtype) && made.dtype != ir::DType::F64) {
        const Doubles got = lang::read_doubles(made);
        const Doubles rounded = lang::read_doubles(*tensor_of(made.dtype, made.shape, wanted));
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (got[i] == rounded[i] || (std::isnan(got[i]) && std::isnan(rounded[i])))
                wanted[i] = got[i];
    }
    return tensor_of(ir::DType::F64, made.shape, wanted);
}

void judge(const lang::Tensor& made, const Doubles& wanted, const NodeTolerance& tolerance, ModelNodeError& row) {
    const double greatest = greatest_magnitude(wanted);
    row.tolerance = tolerance.of(made.dtype, greatest);
    row.absolute = row.tolerance * greatest;
    const Comparison found = compare(row.node, made, *wanted_of(made, wanted), {.tolerance = {row.absolute, 0.0}});
    const bool is_no_number = found.bad > 0 && !(std::isfinite(found.got) && std::isfinite(found.wanted));
    row.max_absolute = is_no_number ? INFINITY : found.max_absolute.value_or(0);
    row.relative = row.max_absolute == 0 ? 0 : greatest > 0 ? row.max_absolute / greatest : INFINITY;
    row.is_bad = found.bad > 0;
}

// Results of operators as files, those of the first steps before the others.
class WrittenResults {
public:
    explicit WrittenResults(std::string folder) : m_folder(std::move(folder)) {}

    void write(const lang::Tensor& made, const Doubles& wanted, ModelNodeError& row) {
        const auto bytes = static_cast<std::int64_t>(wanted.size() * sizeof(double)) * 2; // at most
        if (m_folder.empty() || m_room < bytes)
            return;
        const std::string path = cat(m_folder, "/operator_", m_count);
        if (!lang::write_npy(path + ".npy", made) ||
            !lang::write_npy(path + ".wanted.npy", *tensor_of(ir::DType::F64, made.shape, wanted)))
            return m_folder.clear(); // the disk is full: what comes would not fit either
        row.file = path + ".npy";
        row.wanted_file = path + ".wanted.npy";
        m_room -= bytes;
        ++m_count;
    }

private:
    std::string m_folder;
    std::int64_t m_room = std::int64_t{512} << 20;
    int m_count = 0;
};

} // namespace

std::optional<ReferenceValues> reference_values(Work& work, const ModelRequest& request, const Graph& imported,
                                                const Tensors& inputs, const std::vector<ValueId>& wanted) {
    work.enter("running the reference");
    return ReferenceRun(work, request, doubled(imported)).run(inputs, wanted);
}

std::map<std::uint32_t, ValueId> comparable_values(const Graph& imported, const CompiledGraph& compiled) {
    std::map<std::uint32_t, ValueId> partners = counterparts(imported, compiled.graph);
    std::map<std::uint32_t, ValueId> out;
    for (const StepSource& source : compiled.plan.sources)
        for (const ValueId output : source.outputs)
            if (const auto found = partners.find(output.index); found != partners.end())
                out.insert(*found);
    return out;
}

std::optional<NodeComparison> compare_nodes(Work& work, const ModelRequest& request, GraphRunner& built,
                                            const Graph& imported, const Tensors& inputs,
                                            const ReferenceValues& reference, const std::string& folder) {
    work.enter("comparing operators");
    const CompiledGraph& compiled = built.compiled();
    const std::map<std::uint32_t, ValueId> partners = comparable_values(imported, compiled);
    const std::vector<NodeTolerance> tolerances = node_tolerances(compiled.graph);
    const StepProgress progress(request, "comparing");
    NodeComparison out;
    WrittenResults written(folder);
    PlanRunner& runner = built.plan_runner();
    runner.bind(inputs);
    const Plan& plan = compiled.plan;
    for (std::uint32_t i = 0; i < plan.sources.size(); ++i) {
        const StepSource& step = plan.sources[i];
        if (work.stopped() || !runner.run_step(i, work.sink))
            return std::nullopt;
        for (const ValueId made : step.outputs) {
            const auto partner = partners.find(made.index);
            const lang::TensorRef tensor = partner == partners.end() ? nullptr : runner.tensor(plan.rows[made.index]);
            const auto found = tensor ? reference.find(partner->second.index) : reference.end();
            const bool is_known = found != reference.end() && !found->second.empty();
            if (!is_known || tensor->count() != static_cast<std::int64_t>(found->second.size())) {
                ++out.not_compared;
                continue;
            }
            const NodeId node = compiled.graph.value(made).producer;
            ModelNodeError row{name_of(compiled.graph, node), compiled.graph.node(node).op->name,
                               step.kernels.empty() ? "" : step.kernels.back().name, node.index, i};
            judge(*tensor, found->second, tolerances[made.index], row);
            row.dtype = ir::info(tensor->dtype).short_name;
            row.shape = text_of(shape_of(tensor->shape));
            written.write(*tensor, found->second, row);
            out.rows.push_back(std::move(row));
        }
        progress.done(i + 1, plan.sources.size());
    }
    return out;
}

} // namespace hidet::session
