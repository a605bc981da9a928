// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/model_operators.h"

#include <charconv>

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/methods.h"
#include "compiler/graph/script/transfer.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"

namespace hidet::graph {

namespace {

Span defined_at(const HostValue& callee, Span otherwise) {
    return callee.is(ValueKind::Function) && lang::as_function(callee).def ? lang::as_function(callee).def->name.span
                                                                           : otherwise;
}

// run_v13 of what has run_v1, run_v11 and run_v13, for a model of operator set 12: run_v11.
std::string method_for(const lang::ClassObject& type, std::int64_t opset) {
    std::string best = "run";
    std::int64_t version = 0;
    for (const lang::ClassObject* each = &type; each; each = each->base.get())
        each->table.for_each([&](const std::string& name, const HostValue&) {
            std::int64_t since = 0;
            const char* end = name.data() + name.size();
            if (!name.starts_with("run_v") || std::from_chars(name.data() + 5, end, since).ptr != end)
                return;
            if (since <= opset && since > version) {
                best = name;
                version = since;
            }
        });
    return best;
}

// What exporters call the standard's own operators.
std::string domain_named(const std::string& name) {
    return name == "ai.onnx" ? "" : name;
}

HostValue init_operator(Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "OnnxOperator", {"self", "node", "op_sets="});
    if (!a[0].is(ValueKind::Instance) || !a[1].is(ValueKind::Dict))
        a.wrong_type(1, "the node that the importer gives");
    for (const lang::ValueTable::Entry& each : lang::as_dict(a[1]).table.living())
        if (each.key.is(ValueKind::Str))
            lang::as_instance(a[0]).fields.set(each.key.as_str(), each.value);
    return {};
}

HostValue operator_class(Evaluator& evaluator) {
    Ref<lang::ClassObject>& type = evaluator.impl().native_classes["hidet.OnnxOperator"];
    if (!type) {
        type = evaluator.impl().new_class("OnnxOperator", nullptr);
        type->is_builtin = true;
        type->table.set("__init__", HostValue::native("__init__", init_operator));
    }
    return HostValue::object(ValueKind::Class, type);
}

void add_function(ScriptGraphs& graphs, Evaluator& evaluator, std::string domain, std::string op,
                  const HostValue& callee, Span span) {
    const auto base = operator_class(evaluator);
    const bool is_class = callee.is(ValueKind::Class) && lang::as_class(callee).derives_from(lang::as_class(base));
    if (!is_class && !callee.is(ValueKind::Function) && !callee.is(ValueKind::Native))
        fail(DiagId::BadType, span,
             cat("an operator of models is a function of inputs and attributes, or an OnnxOperator, not '",
                 lang::type_name(callee), "'"));
    graphs.operators_of_models->add(std::move(domain), std::move(op), {&evaluator, callee, defined_at(callee, span)});
}

HostValue register_operator(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "register_onnx_operator", {"op_type", "domain="});
    if (a[0].is(ValueKind::Class)) { // the decorator without arguments
        const std::string& name = lang::as_class(a[0]).name;
        if (!name.starts_with("Onnx") || name.size() == 4)
            fail(DiagId::OperatorRefused, a.span(0),
                 cat("the class '", name, "' is not named after an operator, as 'OnnxRelu' is"));
        add_function(graphs, evaluator, "", name.substr(4), a[0], a.span(0));
        return a[0];
    }
    const std::string op = a.str(0);
    const std::string domain = domain_named(a.str(1, ""));
    return HostValue::native("register_onnx_operator", [&graphs, op, domain](Evaluator& inner, Args& given, Span at) {
        const Arguments b(given, at, "register_onnx_operator", {"function"});
        add_function(graphs, inner, domain, op, b[0], b.span(0));
        return b[0];
    });
}

} // namespace

HostValue ScriptOperators::results_of(const Function& function, const CustomNode& node, HostValue inputs) {
    Evaluator& evaluator = *function.evaluator;
    const HostValue attributes = attributes_value(evaluator, node.attributes, function.place);
    Args args;
    if (!function.callee.is(ValueKind::Class)) {
        args.positional = {std::move(inputs), attributes};
        args.spans.assign(2, function.place);
        return evaluator.call(function.callee, args, function.place);
    }
    const HostValue described = evaluator.impl().new_dict();
    for (const auto& [name, value] : {std::pair("name", HostValue::str(node.name)),
                                      std::pair("op_type", HostValue::str(node.op)), std::pair("attrs", attributes)})
        lang::as_dict(described).table.set(evaluator, HostValue::str(name), value, function.place);
    args.positional = {described};
    args.spans.assign(1, function.place);
    const HostValue object = evaluator.call(function.callee, args, function.place);
    Args given;
    given.positional = {std::move(inputs)};
    given.spans.assign(1, function.place);
    const std::string method = method_for(lang::as_class(function.callee), node.opset);
    return evaluator.call(evaluator.attribute(object, method, function.place), given, function.place);
}

std::vector<ValueId> ScriptOperators::apply(Graph& graph, const CustomNode& node) {
    const Function& function = m_functions.at({node.domain, node.op});
    Transfer transfer(m_graphs, graph, [&](const Node& traced, std::vector<ValueId> inputs) {
        return graph.add(*traced.op, std::move(inputs), traced.attributes, {node.name, traced.site, {}, {}});
    });
    std::vector<ValueId> results;
    m_graphs.guarded(*function.evaluator, function.place, [&] {
        std::vector<HostValue> inputs = transformed(
            node.inputs, [&](ValueId input) { return input.valid() ? transfer.shown(input) : HostValue(); });
        const HostValue given = results_of(function, node, function.evaluator->new_list(std::move(inputs)));
        results = transfer.all_taken(*function.evaluator, given, function.place);
        if (results.size() < node.outputs)
            fail(DiagId::OperatorRefused, function.place,
                 cat("'", node.op, "' gives ", results.size(), results.size() == 1 ? " tensor" : " tensors",
                     ", and the model reads ", node.outputs));
    });
    return results;
}

void add_model_operators(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    module.add("OnnxOperator", operator_class(evaluator));
    module.function("register_onnx_operator", with_graphs(graphs, register_operator));
}

} // namespace hidet::graph
