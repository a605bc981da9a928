// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/script/compiled_graph.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/pass_context.h"
#include "compiler/graph/script/values.h"
#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/print_graph.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/benchmark.h"
#include "lang/host/tensors/tensor_data.h"

namespace hidet::graph {

namespace {

template <class T, class... A>
HostValue make_value(A&&... args) {
    return HostValue::extension(Ref<lang::NativeObject>(new T(std::forward<A>(args)...)));
}

// Milliseconds of a run: their median, or all of them.
HostValue latency(Evaluator& evaluator, Compiled& compiled, Args& args, Span span) {
    Arguments a(args, span, "latency", {"warmup=", "number=", "repeat=", "median=", "dummy_inputs="});
    const bool has_inputs = a.given(4) && !a[4].is(ValueKind::None);
    Args given;
    if (has_inputs)
        given.positional = {a[4]};
    const Tensors inputs =
        has_inputs ? tensors_of(evaluator, given, a.span(4)) : dummy_inputs(evaluator, compiled.signature(), span);
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

void save_graph_at(Evaluator& evaluator, const ScriptGraph& graph, const Arguments& a, std::size_t path) {
    GraphStore* store = graph_store(evaluator, a.span(path));
    DiagnosticSink found;
    if (store)
        hand_on(evaluator, found, store->save_graph(graph, a.str(path), a.span(path), found));
}

HostValue load_graph(Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "load", {"model_file"});
    GraphStore* store = graph_store(evaluator, a.span(0));
    if (!store)
        return HostValue::unknown();
    DiagnosticSink found;
    std::optional<ScriptGraph> loaded = store->load_graph(a.str(0), a.span(0), found);
    hand_on(evaluator, found, loaded.has_value());
    auto graph = std::make_shared<ScriptGraph>(std::move(*loaded));
    if (graph->partition) {
        FusionChoices choices;
        if (is_on_gpu(signature_of(graph->graph)))
            choices.target = gpu_of(graphs_of(evaluator), evaluator, a.span(0));
        graph->partition = partition(graph->graph, choices);
    }
    return flow_graph_value(evaluator, std::move(graph));
}

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
        return {"build",   "cuda_graph", "forward", "latency", "nodes",        "inputs",
                "outputs", "cuda",       "cpu",     "netron",  "dummy_inputs", "save"};
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
        return compiled_graph_value(self.compiled(evaluator, span));
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
    return compiled_graph_value(tuned.compiled(evaluator, span));
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
HostValue save(FlowGraphValue& self, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "save", {"model_file"});
    save_graph_at(evaluator, *self.graph, a, 0);
    return HostValue();
}
HostValue itself(FlowGraphValue& self, Evaluator&, Args&, Span) {
    return HostValue::extension(Ref<lang::NativeObject>(&self));
}
HostValue dummies(FlowGraphValue& self, Evaluator& evaluator, Args&, Span span) {
    return results_of(evaluator, dummy_inputs(evaluator, signature_of(self.graph->graph), span), true);
}

HostValue netron(FlowGraphValue& self, Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "netron", {});
    const auto& [graph, partition, mma] = *self.graph;
    return HostValue::str(netron_json(graph, partition ? &*partition : nullptr));
}

// Symbols like these values.
HostValue symbols_like(Evaluator& evaluator, const Graph& graph, std::span<const ValueId> values) {
    ScriptGraphs& graphs = graphs_of(evaluator);
    std::vector<HostValue> symbols;
    for (const ValueId id : values) {
        const Value& value = graph.value(id);
        symbols.push_back(graphs.symbolic(graphs.traced.add_input(value.name, value.spec, value.device)));
    }
    return evaluator.new_list(std::move(symbols));
}

struct GraphMethod {
    std::string_view name;
    HostValue (*run)(FlowGraphValue&, Evaluator&, Args&, Span);
};
constexpr GraphMethod graph_methods[] = {
    {"build", build}, {"cuda_graph", cuda_graph}, {"forward", forward}, {"latency", latency_of},   {"cuda", itself},
    {"cpu", itself},  {"cuda_", itself},          {"vcuda_", itself},   {"dummy_inputs", dummies}, {"netron", netron},
    {"save", save},
};

std::unique_ptr<HostValue> FlowGraphValue::attribute(Evaluator& evaluator, std::string_view name, Span) {
    if (name == "nodes") {
        std::vector<HostValue> names = transformed(
            graph->graph.topological(), [&](NodeId id) { return HostValue::str(graph->graph.node(id).op->name); });
        return boxed(evaluator.new_list(std::move(names)));
    }
    if (name == "inputs")
        return boxed(symbols_like(evaluator, graph->graph, graph->graph.inputs));
    if (name == "outputs")
        return boxed(symbols_like(evaluator, graph->graph, graph->graph.outputs()));
    for (const GraphMethod& method : graph_methods)
        if (name == method.name)
            return method_of(*this, name, method.run);
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

// A position; it is told what it counts when there is none.
std::uint32_t position(const Arguments& a, std::size_t argument, const HostValue& value, std::size_t count,
                       const char* what) {
    if (!value.is(ValueKind::Int) || value.as_int() < 0 || value.as_int() >= static_cast<std::int64_t>(count))
        fail(DiagId::BadValue, a.span(argument),
             cat("in_place has a number of one of ", count, " ", what, ", from 0 on"));
    return static_cast<std::uint32_t>(value.as_int());
}

// in_place={result: input, ...}
std::vector<InPlace> in_place_of(const Graph& graph, const Arguments& a, std::size_t argument) {
    if (!a[argument].is(ValueKind::Dict))
        a.wrong_type(argument, "a dict of results and inputs");
    std::vector<InPlace> found;
    for (const auto& [result, input, hash, is_alive] : lang::as_dict(a[argument]).table.living()) {
        const InPlace each{position(a, argument, result, graph.outputs().size(), "results"),
                           position(a, argument, input, graph.inputs.size(), "inputs")};
        const TensorSpec &made = graph.value(graph.outputs()[each.result]).spec,
                         &given = graph.value(graph.inputs[each.input]).spec;
        if (made.dtype != given.dtype || !same_shape(made.shape, given.shape))
            fail(DiagId::OperatorRefused, a.span(argument),
                 cat("result ", each.result, " is ", text_of(made), " and input ", each.input, " is ", text_of(given),
                     ": only what is alike can take its place"));
        if (std::ranges::count(found, each.input, &InPlace::input) > 0)
            fail(DiagId::OperatorRefused, a.span(argument), cat("two results want the place of input ", each.input));
        found.push_back(each);
    }
    return found;
}

} // namespace

HostValue trace_from(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "trace_from", {"tensor", "inputs=", "in_place="});
    const auto outputs = symbolic_ids(evaluator, a[0], a.span(0));
    const auto inputs = a.has(1) ? symbolic_ids(evaluator, a[1], a.span(1)) : std::vector<ValueId>();
    evaluator.charge_steps(lang::cost::graph_node * graphs.traced.node_slots(), span);
    try {
        const auto made =
            std::make_shared<ScriptGraph>(ScriptGraph{extract(graphs.traced, inputs, outputs), std::nullopt});
        if (a.has(2))
            made->graph.in_place = in_place_of(made->graph, a, 2);
        graphs.keep({std::shared_ptr<const Graph>(made, &made->graph), span});
        return flow_graph_value(evaluator, made);
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

void add_graph_files(ScriptGraphs&, Evaluator&, lang::HostModule& module) {
    module.function("load_graph", load_graph);
    module.function("save_graph", [](Evaluator& evaluator, Args& args, Span span) {
        const Arguments a(args, span, "save_graph", {"graph", "fname"});
        const ScriptGraph* graph = flow_graph_of(a[0]);
        if (!graph)
            a.wrong_type(0, "a graph");
        save_graph_at(evaluator, *graph, a, 1);
        return HostValue();
    });
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
        type->table.set("load", HostValue::native("load", load_graph));
    }
    return HostValue::object(ValueKind::Class, type);
}

} // namespace hidet::graph
