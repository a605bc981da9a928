// SPDX-License-Identifier: Apache-2.0
// hidet.graph.frontend.from_onnx: a model as something that is called. On tensors with data it runs; on symbolic ones its
// operators join the graph that is traced.
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/onnx/import.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/model_operators.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/values.h"
#include "lang/base/text.h"
#include "lang/host/script_file.h"

namespace hidet::graph {

namespace {

std::string lines_of(const ImportFailure& failure) {
    std::string text = failure.error.message;
    for (const ImportProblem& problem : failure.problems) {
        text += "; " + problem.message;
        for (std::size_t i = 0; i < problem.nodes.size() && i < 3; ++i)
            text += (i ? ", " : ": ") + problem.nodes[i];
        if (problem.nodes.size() > 3)
            text += cat(" and ", problem.nodes.size() - 3, " more");
    }
    return text;
}

class OnnxModule : public lang::NativeObject {
public:
    OnnxModule(ScriptGraphs& graphs, Graph graph) : m_graphs(graphs), m_graph(std::move(graph)) {}
    std::string type_name() const override { return "OnnxModule"; }
    std::vector<std::string> attributes() const override {
        return {"input_names", "output_names", "forward", "cuda", "cpu"};
    }
    std::unique_ptr<HostValue> attribute(Evaluator& evaluator, std::string_view name, Span) override {
        if (name == "input_names")
            return std::make_unique<HostValue>(names_of(evaluator, m_graph.inputs));
        if (name == "output_names")
            return std::make_unique<HostValue>(names_of(evaluator, m_graph.outputs()));
        const Ref<NativeObject> self(this);
        if (name == "forward")
            return std::make_unique<HostValue>(HostValue::extension(self));
        if (name == "cuda" || name == "cpu" || name == "cuda_")
            return std::make_unique<HostValue>(HostValue::native(
                std::string(name), [self](Evaluator&, Args&, Span) { return HostValue::extension(self); }));
        return nullptr;
    }
    std::unique_ptr<HostValue> call(Evaluator& evaluator, Args& args, Span span) override {
        if (args.positional.size() != m_graph.inputs.size())
            fail(
                DiagId::OperatorRefused, span,
                cat("the model takes ", m_graph.inputs.size(), " tensors, and ", args.positional.size(), " are given"));
        try {
            return std::make_unique<HostValue>(traced(evaluator, args, span));
        } catch (const OpError& error) {
            fail(DiagId::OperatorRefused, span, error.what());
        }
    }

private:
    HostValue names_of(Evaluator& evaluator, const std::vector<ValueId>& ids) const {
        std::vector<HostValue> names =
            transformed(ids, [&](ValueId id) { return HostValue::str(m_graph.value(id).name); });
        return evaluator.new_list(std::move(names));
    }

    // Its nodes, applied one by one to what the script gives.
    HostValue traced(Evaluator& evaluator, const Args& args, Span span) {
        SymbolValues symbols;
        std::vector<HostValue> values(m_graph.value_slots());
        for (std::size_t i = 0; i < args.positional.size(); ++i) {
            bind(m_graph.inputs[i], args.positional[i], args.span_of(i, span), symbols);
            values[m_graph.inputs[i].index] = args.positional[i];
        }
        for (NodeId id : m_graph.topological()) {
            const Node& node = m_graph.node(id);
            std::vector<HostValue> operands =
                transformed(node.inputs, [&](ValueId input) { return value_of_id(values, input); });
            const auto results =
                m_graphs.apply(evaluator, *node.op, operands, with_values(node.attributes, symbols), span);
            for (std::size_t i = 0; i < results.size(); ++i)
                values[node.outputs[i].index] = results[i];
        }
        std::vector<HostValue> results =
            transformed(m_graph.outputs(), [&](ValueId output) { return value_of_id(values, output); });
        return results.size() == 1 ? results.front() : evaluator.new_list(std::move(results));
    }

    HostValue value_of_id(const std::vector<HostValue>& values, ValueId id) const {
        const lang::TensorRef& data = m_graph.value(id).data;
        return data ? HostValue::tensor(data) : values[id.index];
    }

    void bind(ValueId input, const HostValue& given, Span span, SymbolValues& symbols) const {
        const auto* symbolic = given.extension<SymbolicTensor>();
        if (!symbolic && !given.is(ValueKind::Tensor))
            fail(DiagId::BadType, span, cat("the model takes tensors, not '", lang::type_name(given), "'"));
        const Value& wanted = m_graph.value(input);
        const TensorSpec spec = symbolic ? symbolic->value().spec
                                         : TensorSpec{given.as_tensor()->dtype, shape_of(given.as_tensor()->shape)};
        if (spec.dtype != wanted.spec.dtype || spec.shape.size() != wanted.spec.shape.size())
            fail(DiagId::OperatorRefused, span,
                 cat("the model's input '", wanted.name, "' is ", text_of(wanted.spec), ", and is given ",
                     text_of(spec)));
        for (std::size_t d = 0; d < spec.shape.size(); ++d) {
            const auto extent = constant_of(spec.shape[d]);
            if (const auto* symbol = ir::as<ir::SymbolVar>(wanted.spec.shape[d]); symbol && extent)
                symbols[symbol->name] = *extent;
            else if (const auto fixed = constant_of(wanted.spec.shape[d]); fixed && extent && *fixed != *extent)
                fail(DiagId::OperatorRefused, span,
                     cat("the model's input '", wanted.name, "' is ", text_of(wanted.spec), ", and is given ",
                         text_of(spec)));
        }
    }

    ScriptGraphs& m_graphs;
    const Graph m_graph;
};

HostValue from_onnx(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "from_onnx", {"model"});
    if (evaluator.in_preview()) // which reads no data file
        return HostValue::unknown();
    ImportOptions options;
    options.custom = graphs.operators_of_models.get();
    auto imported = import_onnx(lang::path_in_folder(evaluator, a.str(0), a.span(0)), options);
    if (const auto* failure = std::get_if<ImportFailure>(&imported);
        failure && failure->error.code.starts_with("file-"))
        fail(DiagId::FileUnreadable, a.span(0), a.str(0), failure->error.message);
    else if (failure)
        fail(DiagId::OperatorRefused, a.span(0), lines_of(*failure));
    return HostValue::extension(
        Ref<lang::NativeObject>(new OnnxModule(graphs, std::move(std::get<Imported>(imported).graph))));
}

} // namespace

void add_frontend(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    module.function("from_onnx", with_graphs(graphs, from_onnx));
}

} // namespace hidet::graph
