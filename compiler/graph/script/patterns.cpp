// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/patterns.h"

#include <algorithm>
#include <map>

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/methods.h"
#include "compiler/graph/script/modules.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"

namespace hidet::graph {

namespace {

// As far as the engine looks again at what stands around an application.
constexpr int deepest = 10;

std::unique_ptr<HostValue> boxed(Ref<PatternValue> pattern) {
    return std::make_unique<HostValue>(HostValue::extension(std::move(pattern)));
}

TensorKind kind_of(const Arguments& a, std::size_t first, Span span) {
    const bool is_const = a.boolean(first, false);
    const bool is_symbolic = a.boolean(first + 1, false);
    if (is_const && is_symbolic)
        fail(DiagId::BadValue, span, "a tensor cannot be both constant and symbolic");
    return is_const ? TensorKind::Constant : is_symbolic ? TensorKind::Symbolic : TensorKind::Any;
}

HostValue tensor_pattern(TensorKind kind) {
    Ref<PatternValue> pattern(new PatternValue);
    pattern->kind = kind;
    return HostValue::extension(pattern);
}

HostValue one_tensor(Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "TensorPattern", {"is_const=", "is_symbolic="});
    return tensor_pattern(kind_of(a, 0, span));
}

HostValue several_tensors(Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "tensors", {"num", "is_const=", "is_symbolic="});
    const std::int64_t count = a.integer(0);
    if (count < 0 || count > 1000)
        fail(DiagId::BadValue, a.span(0), cat("a pattern of ", count, " tensors"));
    std::vector<HostValue> patterns;
    for (std::int64_t i = 0; i < count; ++i)
        patterns.push_back(tensor_pattern(kind_of(a, 1, span)));
    return evaluator.new_list(std::move(patterns));
}

Ref<PatternValue> operator_pattern(WantedOperator made_by, std::vector<Ref<PatternValue>> inputs, Span span) {
    Ref<PatternValue> pattern(new PatternValue);
    pattern->made_by = std::move(made_by);
    for (const Ref<PatternValue>& input : inputs)
        pattern->depth = std::max(pattern->depth, input->depth + 1);
    pattern->depth = std::max(pattern->depth, 1);
    if (pattern->depth > deepest)
        fail(DiagId::BadValue, span, cat("a pattern is at most ", deepest, " operators deep"));
    pattern->inputs = std::move(inputs);
    return pattern;
}

PatternValue& pattern_argument(const HostValue& value, Span span) {
    auto* pattern = value.extension<PatternValue>();
    if (!pattern)
        fail(DiagId::BadType, span, cat("a pattern is made of TensorPatterns, not of '", lang::type_name(value), "'"));
    return *pattern;
}

HostValue op_pattern(Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "op_pattern", {"op_cls", "input_patterns", "num_outputs="});
    std::vector<Ref<PatternValue>> inputs = transformed<Ref<PatternValue>>(
        evaluator.iterate(a[1], a.span(1)), [&](const HostValue& each) { return &pattern_argument(each, a.span(1)); });
    if (a.integer(2, 1) != 1)
        fail(DiagId::BadValue, a.span(2), "a pattern knows the first result of an operator alone");
    return HostValue::extension(operator_pattern(wanted_operator(a[0], a.span(0)), std::move(inputs), span));
}

// Fills the pattern, what stands above first.
std::size_t index_of(const Ref<PatternValue>& value, ScriptPattern& out, std::map<PatternValue*, std::size_t>& known) {
    if (const auto found = known.find(value.get()); found != known.end())
        return found->second;
    std::size_t index = 0;
    if (value->made_by.op == OpId::None) {
        index = out.pattern.tensor(value->kind);
    } else {
        std::vector<std::size_t> inputs =
            transformed(value->inputs, [&](const Ref<PatternValue>& input) { return index_of(input, out, known); });
        index = out.pattern.op({value->made_by.op}, std::move(inputs), value->made_by.attributes);
    }
    out.tensors.push_back(value);
    return known[value.get()] = index;
}

Ref<lang::ClassObject> named_class(Evaluator& evaluator, const std::string& name) {
    Ref<lang::ClassObject>& type = evaluator.impl().native_classes["hidet." + name];
    if (!type) {
        type = evaluator.impl().new_class(name, nullptr);
        type->is_builtin = true;
    }
    return type;
}

} // namespace

WantedOperator wanted_operator(const HostValue& value, Span span) {
    std::string name;
    if (value.is(ValueKind::Str)) {
        name = value.as_str();
    } else if (value.is(ValueKind::Native)) {
        const std::string& function = lang::object_of<lang::NativeFunctionObject>(value).name;
        if (const OpInfo* op = ScriptGraphs::find_function(function))
            return {op->id, {}};
        name = function;
    } else if (value.is(ValueKind::Class)) {
        const lang::ClassObject& type = lang::as_class(value);
        for (const lang::ClassObject* base = &type; base; base = base->base.get())
            if (base->is_builtin && (base->name == "Operator" || base->name == "OpaqueOperator"))
                return {base->name == "Operator" ? OpId::UserOperator : OpId::OpaqueOperator, {{"name", type.name}}};
        name = type.name;
    } else {
        fail(DiagId::BadType, span,
             cat("an operator is a class, a function of hidet.ops or a name, not '", lang::type_name(value), "'"));
    }
    if (const OpInfo* op = find_op(name))
        return {op->id, {}};
    if (const OpInfo* op = name.ends_with("Op") ? find_op(name.substr(0, name.size() - 2)) : nullptr)
        return {op->id, {}};
    std::vector<std::string> names = transformed<std::string>(all_ops(), [&](const OpInfo* op) { return op->name; });
    throw DiagnosticError(Diagnostic::make(DiagId::OperatorRefused, span, cat("there is no operator '", name, "'"))
                              .suggest(span, name, names));
}

std::unique_ptr<HostValue> PatternValue::attribute(Evaluator&, std::string_view name, Span) {
    if (name == "is_const")
        return std::make_unique<HostValue>(HostValue::boolean(kind == TensorKind::Constant));
    if (name == "is_symbolic")
        return std::make_unique<HostValue>(HostValue::boolean(kind == TensorKind::Symbolic));
    return nullptr;
}

std::unique_ptr<HostValue> PatternValue::unary(Evaluator&, lang::ast::UnaryOp op, Span span) {
    if (op != lang::ast::UnaryOp::Minus)
        return nullptr;
    return boxed(operator_pattern({OpId::Negative, {}}, {Ref<PatternValue>(this)}, span));
}

std::unique_ptr<HostValue> PatternValue::binary(Evaluator&, lang::ast::BinaryOp op, const HostValue& other,
                                                bool on_right, Span span) {
    const OpInfo* wanted = operator_of(op);
    auto* pattern = other.extension<PatternValue>();
    if (!wanted || !pattern)
        return nullptr;
    std::vector<Ref<PatternValue>> inputs = {Ref<PatternValue>(this), Ref<PatternValue>(pattern)};
    if (on_right)
        std::swap(inputs[0], inputs[1]);
    return boxed(operator_pattern({wanted->id, {}}, std::move(inputs), span));
}

ScriptPattern pattern_of(Evaluator& evaluator, const HostValue& outputs, Span span) {
    ScriptPattern out;
    std::map<PatternValue*, std::size_t> known; // looked up only
    std::vector<std::size_t> indices;
    for (const HostValue& each : evaluator.iterate(outputs, span)) {
        PatternValue& pattern = pattern_argument(each, span);
        if (pattern.made_by.op == OpId::None)
            fail(DiagId::BadValue, span, "what a rule replaces is made by an operator: see op_pattern()");
        indices.push_back(index_of(Ref<PatternValue>(&pattern), out, known));
    }
    if (indices.empty())
        fail(DiagId::BadValue, span, "source() names no tensor that the rule replaces");
    out.pattern.set_outputs(std::move(indices));
    return out;
}

void add_patterns(Evaluator& evaluator, lang::HostModule& module) {
    const Ref<lang::ClassObject> type = named_class(evaluator, "TensorPattern");
    if (!type->construct) {
        type->holds = [](const HostValue& value) { return value.extension<PatternValue>() != nullptr; };
        type->construct = one_tensor;
        type->table.set("tensor", HostValue::native("tensor", one_tensor));
        type->table.set("tensors", HostValue::native("tensors", several_tensors));
    }
    module.add("TensorPattern", HostValue::object(ValueKind::Class, type));
    module.function("op_pattern", op_pattern);
}

void add_operator_classes(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    add_operators(graphs, evaluator, module);
    for (const OpInfo* op : all_ops()) {
        const Ref<lang::ClassObject> type = named_class(evaluator, cat(op->name, "Op"));
        type->holds = [op](const HostValue& value) { return operator_of(value) == op; };
        type->construct = [op](Evaluator&, Args&, Span span) -> HostValue {
            fail(DiagId::BadType, span,
                 *op->python ? cat("operators are applied by their functions: hidet.ops.", op->python)
                             : "this operator has no function in hidet.ops");
        };
        module.add(type->name, HostValue::object(ValueKind::Class, type));
    }
}

} // namespace hidet::graph
