// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/compiled_graph.h"

#include <algorithm>

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/implementation.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/pass_context.h"
#include "compiler/graph/script/product_units.h"
#include "compiler/graph/script/template_provider.h"
#include "compiler/graph/script/templates.h"
#include "lang/base/text.h"
#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"
#include "lang/host/options.h"
#include "lang/host/tensors/tensor_data.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

bool any_on_gpu(const std::vector<GraphTensor>& tensors) {
    return std::ranges::any_of(tensors, [](const GraphTensor& each) { return each.device == Device::Cuda; });
}

} // namespace

template <class T>
static T value_of(const Result<T>& result, Span span) {
    if (!result)
        fail(DiagId::OperatorRefused, span, result.error().message);
    return result.value();
}

bool is_on_gpu(const GraphSignature& signature) {
    return any_on_gpu(signature.inputs) || any_on_gpu(signature.outputs);
}

int tuning_level(ScriptGraphs& graphs, Evaluator& evaluator) {
    const lang::Value* asked = evaluator.impl().option_values.find("search_space");
    const std::int64_t usual = asked && asked->is(ValueKind::Int) ? asked->as_int() : 0;
    return static_cast<int>(std::max(usual, graphs.engine(evaluator).level));
}

namespace {

// A script's own templates are called where the script is evaluated, so nothing else is lowered meanwhile.
Plan planned(Evaluator& evaluator, CompiledGraph& compiled, const std::string& mma, Span span) {
    ScriptGraphs& graphs = graphs_of(evaluator);
    PlanOptions options;
    options.code = ir::text_of(lang::module_options(evaluator));
    if (!is_on_gpu(signature_of(compiled.graph)))
        return make_plan(compiled.graph, compiled.partition, options);
    const DeclaredTemplates templates(graphs, evaluator);
    options.target = gpu_of(graphs, evaluator, span);
    options.templates = &templates;
    compiled.partition = graphs.engine(evaluator).tuned(compiled, options.target, templates,
                                                        tuning_level(graphs, evaluator), evaluator.sink());
    if (mma == "simt")
        options.passes.templates = without_matrix_units(compiled.graph);
    return make_plan(compiled.graph, compiled.partition, options);
}

} // namespace

void hand_on(Evaluator& evaluator, DiagnosticSink& sink, bool is_ok) {
    std::vector<Diagnostic> found = sink.take();
    for (std::size_t i = 0; i < found.size(); ++i)
        if (is_ok || i + 1 < found.size())
            evaluator.sink().report(std::move(found[i]));
        else
            throw DiagnosticError(std::move(found[i]));
    if (!is_ok) // it was cancelled
        throw lang::UnknownValue();
}

GraphStore* graph_store(Evaluator& evaluator, Span span) {
    if (evaluator.in_preview() || !evaluator.engine())
        return nullptr;
    GraphStore* store = graphs_of(evaluator).engine(evaluator).store();
    if (!store)
        fail(DiagId::BadValue, span,
             "graphs are saved and loaded by 'hidetc run', and not by what evaluates this script");
    return store;
}

GraphSignature signature_of(const Graph& graph) {
    const auto tensors = [&](const std::vector<ValueId>& ids) {
        std::vector<GraphTensor> out;
        for (const ValueId id : ids)
            out.push_back({graph.value(id).spec, graph.value(id).device});
        return out;
    };
    return {tensors(graph.inputs), tensors(graph.outputs())};
}

Compiled::Compiled(Evaluator& evaluator, const ScriptGraph& source, Span span)
    : m_signature(signature_of(source.graph)) {
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

Compiled::Compiled(LoadedGraph loaded, std::string file)
    : m_file(std::move(file)), m_signature(std::move(loaded.signature)), m_runnable(std::move(loaded.runnable)) {}

const Graph* Compiled::source() const {
    return m_compiled ? &m_compiled->graph : nullptr;
}

bool Compiled::is_on_gpu() const {
    return graph::is_on_gpu(m_signature);
}

Tensors Compiled::run(Evaluator& evaluator, const Tensors& inputs, Span span) {
    if (!m_runnable)
        return without_data(evaluator, inputs, span);
    std::optional<Tensors> results = m_runnable->run(inputs, evaluator.sink());
    if (!results) // reported
        throw lang::UnknownValue();
    return std::move(*results);
}

Tensors Compiled::run_again(Evaluator& evaluator, const Tensors& inputs, Span span) {
    if (!m_runnable)
        return without_data(evaluator, inputs, span);
    std::optional<Tensors> results = m_runnable->run_again(evaluator.sink());
    if (!results) // reported
        throw lang::UnknownValue();
    return std::move(*results);
}

std::size_t Compiled::run_into(const Tensors& inputs, const Tensors& results, std::size_t most, Span span) {
    return m_runnable ? value_of(m_runnable->run_into(inputs, results, most), span) : 0;
}

bool Compiled::run_at(std::size_t number, Span span) {
    return m_runnable && value_of(m_runnable->run_at(number), span);
}

std::vector<InPlace> Compiled::in_place() const {
    std::vector<InPlace> found;
    if (m_compiled)
        std::ranges::copy_if(m_compiled->graph.in_place, std::back_inserter(found), [&](const InPlace& each) {
            const artifact::LaunchPlan& plan = m_compiled->plan.launch;
            return plan.values[plan.outputs[each.result]].place == artifact::Place::InPlace;
        });
    return found;
}

void Compiled::save(Evaluator& evaluator, const std::string& path, Span span) const {
    if (!m_compiled)
        fail(DiagId::BadValue, span, cat("this graph was loaded from '", m_file, "', which is the package of it"));
    GraphStore* store = graph_store(evaluator, span);
    if (!store)
        return;
    DiagnosticSink found;
    const bool is_saved = store->save(*m_compiled, path, span, found);
    hand_on(evaluator, found, is_saved);
}

// In a preview.
Tensors Compiled::without_data(Evaluator& evaluator, const Tensors& inputs, Span span) const {
    SymbolValues symbols;
    for (std::size_t i = 0; i < inputs.size() && i < m_signature.inputs.size(); ++i) {
        const Shape& shape = m_signature.inputs[i].spec.shape;
        for (std::size_t d = 0; d < shape.size() && d < inputs[i]->shape.size(); ++d)
            if (const auto* symbol = ir::as<ir::SymbolVar>(shape[d]))
                symbols[symbol->name] = inputs[i]->shape[d];
    }
    Tensors results;
    for (const GraphTensor& output : m_signature.outputs) {
        const auto extents = evaluate(output.spec.shape, symbols);
        if (!extents)
            throw lang::UnknownValue();
        results.push_back(lang::new_tensor(evaluator, *extents, {output.spec.dtype, output.device, false}, span));
    }
    return results;
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

HostValue run_value(Evaluator& evaluator, Compiled& compiled, const Tensors& inputs, bool as_list, Span span) {
    try {
        return results_of(evaluator, compiled.run(evaluator, inputs, span), as_list);
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, span, error.what());
    } catch (DiagnosticError& error) { // an exchange that failed
        if (!error.diagnostic.span.known())
            error.diagnostic.span = span;
        throw;
    }
}

Tensors dummy_inputs(Evaluator& evaluator, const GraphSignature& signature, Span span) {
    Tensors tensors;
    for (const GraphTensor& input : signature.inputs) {
        const auto extents = constant_shape(input.spec.shape);
        if (!extents)
            fail(DiagId::BadShape, span,
                 cat("the graph's input ", text_of(input.spec),
                     " has symbolic dimensions: call it with tensors of your own"));
        tensors.push_back(lang::new_tensor(evaluator, *extents, {input.spec.dtype, input.device, false}, span));
    }
    return tensors;
}

namespace {

void save(Evaluator& evaluator, const Compiled& compiled, const Arguments& a, std::size_t path) {
    if (a.boolean(path + 1, false))
        without_effect(evaluator, a.span(path + 1), "save_dispatch_table",
                       "what a package runs is decided when it is compiled");
    compiled.save(evaluator, a.str(path), a.span(path));
}

class CompiledGraphValue : public lang::NativeObject {
public:
    explicit CompiledGraphValue(CompiledRef compiled) : compiled(std::move(compiled)) {}
    std::string type_name() const override { return "CompiledGraph"; }
    std::string repr() const override {
        std::string text = "CompiledGraph {\n";
        for (const GraphTensor& input : compiled->signature().inputs)
            text += "  input " + text_of(input.spec) + "\n";
        for (const GraphTensor& output : compiled->signature().outputs)
            text += "  output " + text_of(output.spec) + "\n";
        return text + "}";
    }
    std::vector<std::string> attributes() const override { return {"cuda_graph", "run_async", "save"}; }
    std::unique_ptr<HostValue> attribute(Evaluator&, std::string_view name, Span) override {
        if (name == "cuda_graph")
            return method("cuda_graph", [](CompiledRef graph, Evaluator& inner, Args&, Span span) {
                return make_cuda_graph(inner, std::move(graph), span);
            });
        if (name == "run_async")
            return method("run_async", [](const CompiledRef& graph, Evaluator& inner, Args& args, Span span) {
                return run_value(inner, *graph, tensors_of(inner, args, span), true, span);
            });
        if (name == "save")
            return method("save", [](const CompiledRef& graph, Evaluator& inner, Args& args, Span span) {
                graph::save(inner, *graph, Arguments(args, span, "save", {"path", "save_dispatch_table="}), 0);
                return HostValue();
            });
        return nullptr;
    }
    std::unique_ptr<HostValue> call(Evaluator& evaluator, Args& args, Span span) override {
        return boxed(run_value(evaluator, *compiled, tensors_of(evaluator, args, span), false, span));
    }

    const CompiledRef compiled;

private:
    template <class Body>
    std::unique_ptr<HostValue> method(const char* name, Body body) {
        return boxed(HostValue::native(name, [graph = compiled, body](Evaluator& inner, Args& args, Span span) {
            return body(graph, inner, args, span);
        }));
    }
};

HostValue save_compiled_graph(Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "save_compiled_graph", {"model", "path", "save_dispatch_table="});
    const auto* graph = a[0].extension<CompiledGraphValue>();
    if (!graph)
        a.wrong_type(0, "a compiled graph: what build() gives");
    save(evaluator, *graph->compiled, a, 1);
    return HostValue();
}

HostValue load_compiled_graph(Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "load_compiled_graph", {"path", "device=", "trust=", "entry="});
    const auto is_said = [&](std::size_t i) { return a.given(i) && !a[i].is(ValueKind::None); };
    LoadOptions options;
    options.path = a.str(0);
    if (is_said(1))
        options.device = lang::device_argument(a[1], a.span(1));
    options.trusts = a.boolean(2, false);
    if (is_said(3))
        options.entry = a.str(3);
    options.site = a.span(0);
    GraphStore* store = graph_store(evaluator, span);
    if (!store)
        return HostValue::unknown();
    DiagnosticSink found;
    std::optional<LoadedGraph> loaded = store->load(options, found);
    hand_on(evaluator, found, loaded.has_value());
    return compiled_graph_value(std::make_shared<Compiled>(std::move(*loaded), options.path));
}

} // namespace

HostValue compiled_graph_value(CompiledRef compiled) {
    return HostValue::extension(Ref<lang::NativeObject>(new CompiledGraphValue(std::move(compiled))));
}

const Compiled* compiled_graph_of(const HostValue& value) {
    const auto* compiled = value.extension<CompiledGraphValue>();
    return compiled ? compiled->compiled.get() : nullptr;
}

HostValue compiled_graph_class(Evaluator& evaluator) {
    Ref<lang::ClassObject>& type = evaluator.impl().native_classes["hidet.CompiledGraph"];
    if (!type) {
        type = evaluator.impl().new_class("CompiledGraph", nullptr);
        type->is_builtin = true;
        type->holds = [](const HostValue& value) { return value.extension<CompiledGraphValue>() != nullptr; };
        type->construct = [](Evaluator&, Args&, Span span) -> HostValue {
            fail(DiagId::BadType, span, "a compiled graph comes from build(), or from load_compiled_graph()");
        };
    }
    return HostValue::object(ValueKind::Class, type);
}

void add_packages(ScriptGraphs&, Evaluator& evaluator, lang::HostModule& module) {
    module.function("save_compiled_graph", save_compiled_graph);
    module.function("load_compiled_graph", load_compiled_graph);
    module.add("CompiledGraph", compiled_graph_class(evaluator));
    module.add("CompiledTask", compiled_graph_class(evaluator)); // of build_task(): a graph of one operator
}

} // namespace hidet::graph
