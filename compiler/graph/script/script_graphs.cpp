// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/script_graphs.h"

#include <algorithm>

#include "compiler/graph/script/compute.h"
#include "compiler/graph/script/eager.h"
#include "compiler/graph/script/implementation.h"
#include "compiler/graph/script/language.h"
#include "compiler/graph/script/model_operators.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/parameters.h"
#include "compiler/graph/script/pass_context.h"
#include "compiler/graph/script/rules.h"
#include "compiler/graph/script/templates.h"
#include "compiler/ir/packing.h"
#include "lang/base/text.h"
#include "lang/host/costs.h"
#include "lang/host/evaluator.h"
#include "lang/host/modules.h"
#include "lang/host/tensors/tensor_data.h"

namespace hidet::graph {

// The files of compiler/schedule/templates/shared: made by the build.
std::vector<std::pair<std::string_view, std::string_view>> library_texts();

namespace {

using lang::Evaluator;
using lang::ValueKind;
using HostValue = lang::Value;

// The dtype and device that a number next to tensors takes.
struct Company {
    ir::DType dtype = ir::DType::F32;
    Device device = Device::Cpu;
    bool has_tensor = false;
};

Company company_of(const ScriptGraphs& graphs, const std::vector<HostValue>& operands) {
    Company company;
    for (const HostValue& operand : operands) {
        const auto* symbolic = operand.extension<SymbolicTensor>();
        if (!symbolic && !operand.is(ValueKind::Tensor))
            continue;
        if (!company.has_tensor)
            company.dtype = symbolic ? symbolic->value().spec.dtype : operand.as_tensor()->dtype;
        company.has_tensor = true;
        const auto device = symbolic ? graphs.traced.value(symbolic->id).device : operand.as_tensor()->device;
        company.device = std::max(company.device, device);
    }
    return company;
}

lang::TensorRef tensor_of_number(Evaluator& evaluator, const HostValue& number, const Company& company, Span span) {
    lang::TensorKind kind;
    kind.device = company.device;
    kind.dtype = company.dtype;
    if (number.is(ValueKind::Float) && !ir::is_float(company.dtype))
        kind.dtype = ir::DType::F32;
    const lang::TensorRef tensor = lang::from_doubles(evaluator, {}, kind, {number.as_double()}, span);
    if (!tensor->has_data()) { // a number is known in a preview as well, and rules about numbers read it
        tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(ir::packed_bytes(kind.dtype, 1)));
        lang::write_doubles(*tensor, {number.as_double()});
    }
    return tensor;
}

bool has_symbolic(const std::vector<HostValue>& operands) {
    return std::ranges::any_of(operands, [](const HostValue& v) { return v.extension<SymbolicTensor>() != nullptr; });
}

} // namespace

ScriptGraphs::ScriptGraphs(GraphEngineMaker make_engine, std::string module_name)
    : rules(std::make_unique<ScriptRules>()), operators_of_models(std::make_unique<ScriptOperators>(*this)),
      m_make_engine(std::move(make_engine)), m_module_name(std::move(module_name)) {}
ScriptGraphs::~ScriptGraphs() = default;

const std::vector<LibraryModule>& library_modules() {
    static const std::vector<LibraryModule> modules = [] {
        std::vector<LibraryModule> all;
        for (const auto& [file, text] : library_texts())
            all.push_back({cat("hidet.", file.substr(0, file.find('.'))), text});
        return all;
    }();
    return modules;
}

std::string_view ScriptGraphs::module_text(std::string_view dotted) const {
    const auto found = std::ranges::find(library_modules(), dotted, &LibraryModule::name);
    return found == library_modules().end() ? std::string_view() : found->text;
}

// A loop may trace thousands, which nobody looks at.
void ScriptGraphs::keep(TracedGraph made) {
    constexpr std::size_t most_kept = 64;
    if (m_flow_graphs.size() == most_kept)
        m_flow_graphs.pop_back();
    m_flow_graphs.push_back(std::move(made));
}

ValueId ScriptGraphs::constant(const lang::TensorRef& tensor) {
    auto [entry, is_new] = m_constants.try_emplace(tensor.get(), tensor, ValueId());
    if (is_new)
        entry->second.second = traced.add_constant(tensor);
    return entry->second.second;
}

std::vector<HostValue> ScriptGraphs::apply(Evaluator& evaluator, const OpInfo& op,
                                           const std::vector<HostValue>& operands, Attributes attributes, Span span) {
    evaluator.charge_steps(lang::cost::graph_node, span);
    const Company company = company_of(*this, operands);
    std::vector<HostValue> results;
    std::vector<lang::TensorRef> tensors; // null: symbolic
    for (const HostValue& operand : operands) {
        if (operand.is(ValueKind::Unknown))
            return {HostValue::unknown()};
        if (operand.is(ValueKind::Tensor))
            tensors.push_back(operand.as_tensor());
        else if (operand.is_number())
            tensors.push_back(tensor_of_number(evaluator, operand, company, span));
        else if (operand.extension<SymbolicTensor>())
            tensors.push_back(nullptr);
        else
            fail(DiagId::BadType, span, cat(op.python, "() wants a tensor, not '", lang::type_name(operand), "'"));
    }
    try {
        if (!has_symbolic(operands)) {
            OpCall call(op, {}, std::move(attributes));
            for (const lang::TensorRef& tensor : tensors)
                call.inputs.push_back({tensor->dtype, shape_of(tensor->shape)});
            for (lang::TensorRef& result : run_eager(*this, evaluator, call, tensors, span))
                results.push_back(HostValue::tensor(std::move(result)));
            return results;
        }
        std::vector<ValueId> ids;
        for (std::size_t i = 0; i < operands.size(); ++i)
            ids.push_back(tensors[i] ? constant(tensors[i]) : operands[i].extension<SymbolicTensor>()->id);
        for (ValueId id : traced.add(op, std::move(ids), std::move(attributes), {{}, span, {}, {}}))
            results.push_back(symbolic(id));
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, span, error.what());
    }
    return results;
}

const OpInfo* ScriptGraphs::find_function(std::string_view python_name) {
    for (const OpInfo* op : all_ops())
        if (op->python == python_name)
            return op;
    return nullptr;
}

HostValue ScriptGraphs::call(Evaluator& evaluator, const OpInfo& op, const lang::Args& args, Span span) {
    if (std::ranges::any_of(args.positional, [](const HostValue& value) { return value.is(ValueKind::Unknown); }))
        return HostValue::unknown();
    BoundArguments bound = bind_arguments(evaluator, op, args, span);
    std::vector<HostValue> results = apply(evaluator, op, bound.operands, std::move(bound.attributes), span);
    return results.size() == 1 ? results.front() : evaluator.new_list(std::move(results));
}

void ScriptGraphs::extend(Evaluator& evaluator, lang::HostModule& module) {
    extend_module(*this, evaluator, module);
}

void ScriptGraphs::named(const HostValue& value, std::string_view name) {
    const auto* symbolic = value.extension<SymbolicTensor>();
    if (!symbolic || &symbolic->graphs != this)
        return;
    Value& tensor = traced.value(symbolic->id);
    if (!tensor.producer.valid() && !tensor.is_constant() && tensor.called.empty())
        tensor.called = name;
}

bool ScriptGraphs::can_run(Evaluator& evaluator) const {
    return m_make_engine && evaluator.engine();
}

GraphEngine& ScriptGraphs::engine(Evaluator& evaluator) {
    HIDET_CHECK(can_run(evaluator), "the script was evaluated without what runs graphs");
    if (!m_engine)
        m_engine = m_make_engine(*evaluator.engine());
    return *m_engine;
}

void ScriptGraphs::guarded(Evaluator& evaluator, Span span, const std::function<void()>& body) {
    if (!is_over || m_is_called)
        return body();
    m_is_called = true;
    struct Done {
        bool& flag;
        ~Done() { flag = false; }
    } done{m_is_called};
    const HostValue callee = HostValue::native("rule", [&](Evaluator&, lang::Args&, Span) {
        body();
        return HostValue();
    });
    lang::Args none;
    const std::optional<HostValue> result = evaluator.try_call(callee, none, span);
    if (!result || result->is(ValueKind::Unknown))
        throw RuleFailed("a function of the script failed");
}

std::shared_ptr<lang::GraphLanguage> make_graph_language(GraphEngineMaker make_engine, std::string module_name) {
    return std::make_shared<ScriptGraphs>(std::move(make_engine), std::move(module_name));
}

ScriptGraphs& graphs_of(Evaluator& evaluator) {
    auto* graphs = dynamic_cast<ScriptGraphs*>(evaluator.options().graphs.get());
    HIDET_CHECK(graphs, "the script was evaluated without models");
    return *graphs;
}

const std::vector<TracedGraph>& traced_graphs(lang::Evaluator& evaluator) {
    return graphs_of(evaluator).flow_graphs();
}

ModelExtensions model_extensions(lang::Evaluator& evaluator) {
    ScriptGraphs& graphs = graphs_of(evaluator);
    graphs.is_over = true;
    ModelExtensions extensions;
    extensions.operators = graphs.operators_of_models.get();
    graphs.rules->add_to(extensions.rules);
    extensions.has_templates = !graphs.templates.empty();
    return extensions;
}

} // namespace hidet::graph
