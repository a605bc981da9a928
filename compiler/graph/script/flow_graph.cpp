// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/implementation.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/pass_context.h"
#include "compiler/graph/script/product_units.h"
#include "compiler/graph/script/template_provider.h"
#include "compiler/graph/script/templates.h"
#include "compiler/graph/script/values.h"
#include "compiler/graph/text/print_graph.h"
#include "compiler/ir/packing.h"
#include "lang/base/text.h"
#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/benchmark.h"
#include "lang/host/tensor_data.h"

namespace hidet::graph {

namespace {

template <class T, class... A>
HostValue make_value(A&&... args) {
    return HostValue::extension(Ref<lang::NativeObject>(new T(std::forward<A>(args)...)));
}

// Tensors from f(x, y) and from f([x, y]).
Tensors tensors_of(Evaluator& evaluator, const Args& args, Span span) {
    std::vector<HostValue> items = args.positional;
    if (items.size() == 1 && (items[0].is(ValueKind::List) || items[0].is(ValueKind::Tuple)))
        items = evaluator.iterate(items[0], span);
    Tensors tensors;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is(ValueKind::Tensor))
            fail(DiagId::BadType, args.span_of(i, span),
                 cat("a graph runs on tensors, not on '", lang::type_name(items[i]), "'"));
        tensors.push_back(items[i].as_tensor());
    }
    return tensors;
}

HostValue results_of(Evaluator& evaluator, Tensors tensors, bool as_list) {
    std::vector<HostValue> items;
    for (lang::TensorRef& tensor : tensors)
        items.push_back(HostValue::tensor(std::move(tensor)));
    return items.size() == 1 && !as_list ? items.front() : evaluator.new_list(std::move(items));
}

bool is_on_gpu(const Graph& graph) {
    const auto is_there = [&](ValueId id) { return graph.value(id).device == Device::Cuda; };
    return std::ranges::any_of(graph.inputs, is_there) || std::ranges::any_of(graph.outputs(), is_there);
}

// What hidet.option.search_space says.
std::int64_t usual_level(Evaluator& evaluator) {
    const lang::Value* level = evaluator.impl().option_values.find("search_space");
    return level && level->is(ValueKind::Int) ? level->as_int() : 0;
}

// A script's own templates are called where the script is evaluated, so nothing else is lowered meanwhile.
Plan planned(Evaluator& evaluator, CompiledGraph& compiled, const std::string& mma, Span span) {
    ScriptGraphs& graphs = graphs_of(evaluator);
    PlanOptions options;
    options.code = ir::text_of(lang::module_options(evaluator));
    if (!is_on_gpu(compiled.graph))
        return make_plan(compiled.graph, compiled.partition, options);
    const DeclaredTemplates templates(graphs, evaluator);
    options.target = gpu_of(graphs, evaluator, span);
    options.templates = &templates;
    const std::int64_t level = std::max(usual_level(evaluator), graphs.engine(evaluator).level);
    if (level > 0)
        compiled.partition = graphs.engine(evaluator).tuned(compiled, options.target, templates,
                                                            static_cast<int>(level), evaluator.sink());
    if (mma == "simt")
        options.passes.templates = without_matrix_units(compiled.graph);
    return make_plan(compiled.graph, compiled.partition, options);
}

// What one script does with a graph that it has compiled, however it got it.
class Compiled {
public:
    Compiled(Evaluator& evaluator, const ScriptGraph& source, Span span) {
        auto compiled = std::make_shared<CompiledGraph>();
        compiled->graph = source.graph;
        m_compiled = compiled;
        if (!evaluator.engine()) { // a preview asks for shapes: nothing is lowered at a keystroke
            preview_implementations(evaluator, compiled->graph);
            return;
        }
        compiled->partition = source.partition ? *source.partition : partition(compiled->graph, {{}, false});
        compiled->plan = planned(evaluator, *compiled, source.mma, span);
        m_runnable = graphs_of(evaluator).engine(evaluator).runnable(m_compiled);
    }

    Tensors run(Evaluator& evaluator, const Tensors& inputs, Span span) {
        if (!m_runnable)
            return without_data(evaluator, inputs, span);
        std::optional<Tensors> results = m_runnable->run(inputs, evaluator.sink());
        if (!results) // reported
            throw lang::UnknownValue();
        return std::move(*results);
    }

    // Into the results of the run before.
    Tensors run_again(Evaluator& evaluator, const Tensors& inputs, Span span) {
        if (!m_runnable)
            return without_data(evaluator, inputs, span);
        std::optional<Tensors> results = m_runnable->run_again(evaluator.sink());
        if (!results) // reported
            throw lang::UnknownValue();
        return std::move(*results);
    }

    const Graph& graph() const { return m_compiled->graph; }

private:
    // In a preview.
    Tensors without_data(Evaluator& evaluator, const Tensors& inputs, Span span) const {
        SymbolValues symbols;
        for (std::size_t i = 0; i < inputs.size() && i < graph().inputs.size(); ++i) {
            const Shape& shape = graph().value(graph().inputs[i]).spec.shape;
            for (std::size_t d = 0; d < shape.size() && d < inputs[i]->shape.size(); ++d)
                if (const auto* symbol = ir::as<ir::SymbolVar>(shape[d]))
                    symbols[symbol->name] = inputs[i]->shape[d];
        }
        Tensors results;
        for (ValueId output : graph().outputs()) {
            const Value& value = graph().value(output);
            const auto extents = evaluate(value.spec.shape, symbols);
            if (!extents)
                throw lang::UnknownValue();
            results.push_back(lang::new_tensor(evaluator, *extents, {value.spec.dtype, value.device, false}, span));
        }
        return results;
    }

    std::shared_ptr<const CompiledGraph> m_compiled;
    std::unique_ptr<RunnableGraph> m_runnable;
};
using CompiledRef = std::shared_ptr<Compiled>;

HostValue run_value(Evaluator& evaluator, Compiled& compiled, const Tensors& inputs, bool as_list, Span span) {
    try {
        return results_of(evaluator, compiled.run(evaluator, inputs, span), as_list);
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, span, error.what());
    }
}

Tensors dummy_inputs(Evaluator& evaluator, const Graph& graph, Span span) {
    Tensors tensors;
    for (ValueId input : graph.inputs) {
        const Value& value = graph.value(input);
        const auto extents = constant_shape(value.spec.shape);
        if (!extents)
            fail(DiagId::BadShape, span,
                 cat("the graph's input ", text_of(value.spec),
                     " has symbolic dimensions: call it with tensors of your own"));
        tensors.push_back(lang::new_tensor(evaluator, *extents, {value.spec.dtype, value.device, false}, span));
    }
    return tensors;
}

// Milliseconds of a run: their median, or all of them.
HostValue latency(Evaluator& evaluator, Compiled& compiled, Args& args, Span span) {
    Arguments a(args, span, "latency", {"warmup=", "number=", "repeat=", "median=", "dummy_inputs="});
    const bool has_inputs = a.given(4) && !a[4].is(ValueKind::None);
    Args given;
    if (has_inputs)
        given.positional = {a[4]};
    const Tensors inputs =
        has_inputs ? tensors_of(evaluator, given, a.span(4)) : dummy_inputs(evaluator, compiled.graph(), span);
    if (!evaluator.engine())
        return HostValue::unknown();
    const lang::Repetitions usual = lang::bench_repetitions(evaluator);
    const lang::Repetitions asked{a.integer(0, usual.warm_up), a.integer(1, usual.number), a.integer(2, usual.repeat)};
    const auto run = [&] { compiled.run(evaluator, inputs, span); };
    try {
        run(); // which builds it
        return lang::median_or_all(evaluator, lang::measured(run, asked), a.boolean(3, true));
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, span, error.what());
    }
}

// The graph, captured once and replayed: inputs and outputs stay where they are.
class CudaGraphValue : public lang::NativeObject {
public:
    CudaGraphValue(CompiledRef compiled, Tensors inputs)
        : m_compiled(std::move(compiled)), m_inputs(std::move(inputs)) {}
    std::string type_name() const override { return "CudaGraph"; }
    std::vector<std::string> attributes() const override { return {"run", "run_async", "inputs", "outputs", "replay"}; }
    std::unique_ptr<HostValue> attribute(Evaluator& evaluator, std::string_view name, Span) override {
        if (name == "inputs")
            return boxed(results_of(evaluator, m_inputs, true));
        if (name == "outputs")
            return boxed(results_of(evaluator, m_outputs, true));
        if (name != "run" && name != "run_async" && name != "replay")
            return nullptr;
        return boxed(HostValue::native(std::string(name),
                                       [self = Ref<CudaGraphValue>(this)](Evaluator& inner, Args& args, Span span) {
                                           return self->run(inner, args, span);
                                       }));
    }
    std::unique_ptr<HostValue> call(Evaluator& evaluator, Args& args, Span span) override {
        return boxed(run(evaluator, args, span));
    }

private:
    HostValue run(Evaluator& evaluator, Args& args, Span span) {
        if (const Tensors given = tensors_of(evaluator, args, span); !given.empty())
            take(given);
        try {
            m_outputs = m_has_run ? m_compiled->run_again(evaluator, m_inputs, span)
                                  : m_compiled->run(evaluator, m_inputs, span);
        } catch (const OpError& error) {
            fail(DiagId::OperatorRefused, span, error.what());
        }
        m_has_run = true;
        return results_of(evaluator, m_outputs, true);
    }

    // Copied to where the graph reads its inputs; what does not fit is refused by a run.
    void take(const Tensors& given) {
        bool all_fit = given.size() == m_inputs.size();
        for (std::size_t i = 0; all_fit && i < given.size(); ++i)
            all_fit = fits(*given[i], *m_inputs[i]);
        if (!all_fit) {
            m_inputs = given;
            m_has_run = false;
            return;
        }
        for (std::size_t i = 0; i < given.size(); ++i)
            if (given[i] != m_inputs[i])
                std::memmove(m_inputs[i]->data(), given[i]->read(),
                             static_cast<std::size_t>(ir::packed_bytes(given[i]->dtype, given[i]->count())));
    }
    static bool fits(const lang::Tensor& from, const lang::Tensor& to) {
        return from.dtype == to.dtype && from.shape == to.shape && from.device == to.device && from.has_data() &&
               to.has_data();
    }

    CompiledRef m_compiled;
    Tensors m_inputs;
    Tensors m_outputs;
    bool m_has_run = false; // on these inputs
};

HostValue make_cuda_graph(Evaluator& evaluator, CompiledRef compiled, Span span) {
    const Graph& graph = compiled->graph();
    if (!is_on_gpu(graph))
        fail(DiagId::OperatorRefused, span, "a CUDA graph wants tensors on 'cuda', and this graph is on the CPU");
    Tensors inputs = dummy_inputs(evaluator, graph, span);
    return make_value<CudaGraphValue>(std::move(compiled), std::move(inputs));
}

class CompiledGraphValue : public lang::NativeObject {
public:
    explicit CompiledGraphValue(CompiledRef compiled) : m_compiled(std::move(compiled)) {}
    std::string type_name() const override { return "CompiledGraph"; }
    std::string repr() const override {
        const Graph& graph = m_compiled->graph();
        std::string text = "CompiledGraph {\n";
        for (ValueId input : graph.inputs)
            text += "  input " + text_of(graph.value(input).spec) + "\n";
        for (ValueId output : graph.outputs())
            text += "  output " + text_of(graph.value(output).spec) + "\n";
        return text + "}";
    }
    std::vector<std::string> attributes() const override { return {"cuda_graph", "run_async"}; }
    std::unique_ptr<HostValue> attribute(Evaluator&, std::string_view name, Span) override {
        if (name == "cuda_graph")
            return boxed(HostValue::native("cuda_graph", [compiled = m_compiled](Evaluator& inner, Args&, Span span) {
                return make_cuda_graph(inner, compiled, span);
            }));
        if (name == "run_async")
            return boxed(
                HostValue::native("run_async", [compiled = m_compiled](Evaluator& inner, Args& args, Span span) {
                    return run_value(inner, *compiled, tensors_of(inner, args, span), true, span);
                }));
        return nullptr;
    }
    std::unique_ptr<HostValue> call(Evaluator& evaluator, Args& args, Span span) override {
        return boxed(run_value(evaluator, *m_compiled, tensors_of(evaluator, args, span), false, span));
    }

private:
    CompiledRef m_compiled;
};

class FlowGraphValue : public lang::NativeObject {
public:
    FlowGraphValue(Evaluator& evaluator, std::shared_ptr<ScriptGraph> graph)
        : graph(std::move(graph)), m_evaluator(evaluator) {}
    std::string type_name() const override { return "FlowGraph"; }
    std::string repr() const override {
        PrintOptions options;
        options.partition = graph->partition ? &*graph->partition : nullptr;
        options.tasks = lang::prints_definitions(m_evaluator);
        std::string text = print_graph(graph->graph, options);
        while (text.ends_with('\n'))
            text.pop_back();
        return text;
    }
    std::vector<std::string> attributes() const override {
        return {"build", "cuda_graph", "forward", "latency", "nodes", "cuda", "cpu", "dummy_inputs"};
    }
    std::unique_ptr<HostValue> attribute(Evaluator& evaluator, std::string_view name, Span) override;
    std::unique_ptr<HostValue> call(Evaluator& evaluator, Args& args, Span span) override {
        return boxed(run_value(evaluator, *compiled(evaluator, span), tensors_of(evaluator, args, span), false, span));
    }

    // Compiled when it is first needed.
    const CompiledRef& compiled(Evaluator& evaluator, Span span) {
        try {
            if (!m_compiled)
                m_compiled = std::make_shared<Compiled>(evaluator, *graph, span);
        } catch (const OpError& error) {
            fail(DiagId::OperatorRefused, span, error.what());
        } catch (const RuleFailed&) { // reported
            throw lang::UnknownValue();
        }
        return m_compiled;
    }

    const std::shared_ptr<ScriptGraph> graph;

private:
    Evaluator& m_evaluator;
    CompiledRef m_compiled;
};

HostValue build(FlowGraphValue& self, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "build", {"space="});
    if (!a.given(0))
        return make_value<CompiledGraphValue>(self.compiled(evaluator, span));
    if (a.integer(0) < 0 || a.integer(0) > 2)
        fail(DiagId::BadValue, a.span(0), cat("spaces are 0, 1 and 2, not ", a.integer(0)));
    struct Restored { // what the option was, also after a failure
        explicit Restored(lang::NameTable& options) : options(options), outside(options) {}
        ~Restored() { options = outside; }
        lang::NameTable& options;
        const lang::NameTable outside;
    } restored(evaluator.impl().option_values);
    restored.options.set("search_space", a[0]);
    FlowGraphValue tuned(evaluator, self.graph); // compiled for itself
    return make_value<CompiledGraphValue>(tuned.compiled(evaluator, span));
}
HostValue cuda_graph(FlowGraphValue& self, Evaluator& evaluator, Args&, Span span) {
    return make_cuda_graph(evaluator, self.compiled(evaluator, span), span);
}
HostValue forward(FlowGraphValue& self, Evaluator& evaluator, Args& args, Span span) {
    return run_value(evaluator, *self.compiled(evaluator, span), tensors_of(evaluator, args, span), true, span);
}
HostValue latency_of(FlowGraphValue& self, Evaluator& evaluator, Args& args, Span span) {
    return latency(evaluator, *self.compiled(evaluator, span), args, span);
}
HostValue itself(FlowGraphValue& self, Evaluator&, Args&, Span) {
    return HostValue::extension(Ref<lang::NativeObject>(&self));
}
HostValue dummies(FlowGraphValue& self, Evaluator& evaluator, Args&, Span span) {
    return results_of(evaluator, dummy_inputs(evaluator, self.graph->graph, span), true);
}

struct GraphMethod {
    std::string_view name;
    HostValue (*run)(FlowGraphValue&, Evaluator&, Args&, Span);
};
constexpr GraphMethod graph_methods[] = {
    {"build", build}, {"cuda_graph", cuda_graph}, {"forward", forward}, {"latency", latency_of},   {"cuda", itself},
    {"cpu", itself},  {"cuda_", itself},          {"vcuda_", itself},   {"dummy_inputs", dummies},
};

std::unique_ptr<HostValue> FlowGraphValue::attribute(Evaluator& evaluator, std::string_view name, Span) {
    if (name == "nodes") {
        std::vector<HostValue> names;
        for (NodeId id : graph->graph.topological())
            names.push_back(HostValue::str(graph->graph.node(id).op->name));
        return boxed(evaluator.new_list(std::move(names)));
    }
    for (const GraphMethod& method : graph_methods)
        if (name == method.name)
            return boxed(HostValue::native(std::string(name), [self = Ref<FlowGraphValue>(this),
                                                               &method](Evaluator& inner, Args& args, Span span) {
                return method.run(*self, inner, args, span);
            }));
    return nullptr;
}

std::vector<ValueId> symbolic_ids(Evaluator& evaluator, const HostValue& value, Span span) {
    std::vector<ValueId> ids;
    std::vector<HostValue> items = {value};
    if (value.is(ValueKind::List) || value.is(ValueKind::Tuple))
        items = evaluator.iterate(value, span);
    for (const HostValue& item : items) {
        const auto* symbolic = item.extension<SymbolicTensor>();
        if (!symbolic)
            fail(DiagId::BadType, span,
                 cat("a graph is traced between symbolic tensors, and this is '", lang::type_name(item), "'"));
        ids.push_back(symbolic->id);
    }
    return ids;
}

} // namespace

HostValue trace_from(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "trace_from", {"tensor", "inputs="});
    const auto outputs = symbolic_ids(evaluator, a[0], a.span(0));
    const bool has_inputs = a.given(1) && !a[1].is(ValueKind::None);
    const auto inputs = has_inputs ? symbolic_ids(evaluator, a[1], a.span(1)) : std::vector<ValueId>();
    evaluator.charge_steps(lang::cost::graph_node * graphs.traced.node_slots(), span);
    try {
        return flow_graph_value(evaluator, std::make_shared<ScriptGraph>(
                                               ScriptGraph{extract(graphs.traced, inputs, outputs), std::nullopt}));
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, span, error.what());
    }
}

HostValue flow_graph_value(Evaluator& evaluator, std::shared_ptr<ScriptGraph> graph) {
    return make_value<FlowGraphValue>(evaluator, std::move(graph));
}

const ScriptGraph* flow_graph_of(const HostValue& value) {
    const auto* flow = value.extension<FlowGraphValue>();
    return flow ? flow->graph.get() : nullptr;
}

HostValue flow_graph_class(Evaluator& evaluator) {
    Ref<lang::ClassObject>& type = evaluator.impl().native_classes["hidet.FlowGraph"];
    if (!type) {
        type = evaluator.impl().new_class("FlowGraph", nullptr);
        type->is_builtin = true;
        type->holds = [](const HostValue& value) { return flow_graph_of(value) != nullptr; };
        type->construct = [](Evaluator&, Args&, Span span) -> HostValue {
            fail(DiagId::BadType, span, "a graph is made by hidet.trace_from()");
        };
    }
    return HostValue::object(ValueKind::Class, type);
}

} // namespace hidet::graph
