// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/parameters.h"

#include <functional>

#include "compiler/graph/script/signatures.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"
#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

using HostValue = lang::Value;
using lang::ValueKind;

[[noreturn]] void wrong_type(const OpInfo& op, const Parameter& parameter, const char* wanted, const HostValue& value,
                             Span span) {
    fail(DiagId::WrongArgumentType, span, op.python, wanted, parameter.name, cat("'", lang::type_name(value), "'"));
}

std::vector<HostValue> items_of(lang::Evaluator& evaluator, const HostValue& value, Span span) {
    if (value.is_number() || value.is(ValueKind::Str))
        return {value};
    return evaluator.iterate(value, span);
}

Attribute attribute_of(lang::Evaluator& evaluator, const OpInfo& op, const Parameter& parameter, const HostValue& value,
                       Span span) {
    const auto wrong = [&](const char* wanted, const HostValue& given) {
        wrong_type(op, parameter, wanted, given, span);
    };
    const auto is_int = [](const HostValue& each) { return each.is(ValueKind::Int) || each.is(ValueKind::Bool); };
    const auto is_str = [](const HostValue& each) { return each.is(ValueKind::Str); };
    const auto listed = [&](auto values, const char* wanted, auto is_one, auto content_of) -> Attribute {
        for (const HostValue& item : items_of(evaluator, value, span)) {
            if (!std::invoke(is_one, item))
                wrong(wanted, item);
            values.push_back(std::invoke(content_of, item));
        }
        return values;
    };
    switch (parameter.kind) {
    case ParameterKind::Bool:
        if (!value.is(ValueKind::Bool) && !(value.is(ValueKind::Int) && (value.as_int() | 1) == 1))
            wrong("a bool", value);
        return value.as_int() != 0;
    case ParameterKind::Int:
        if (!is_int(value))
            wrong("an int", value);
        return value.as_int();
    case ParameterKind::Float:
        if (!value.is_number())
            wrong("a number", value);
        return value.as_double();
    case ParameterKind::Number:
        if (!value.is_number())
            wrong("a number", value);
        if (value.is(ValueKind::Float))
            return value.as_double();
        return value.as_int();
    case ParameterKind::Str:
        if (!is_str(value))
            wrong("a str", value);
        return value.as_str();
    case ParameterKind::DType: return lang::dtype_argument(value, span);
    case ParameterKind::Ints: return listed(Ints(), "ints", is_int, &HostValue::as_int);
    case ParameterKind::Floats: return listed(Floats(), "numbers", &HostValue::is_number, &HostValue::as_double);
    case ParameterKind::Texts: return listed(Texts(), "strs", is_str, &HostValue::as_str);
    case ParameterKind::Shape: return symbolic_shape(evaluator, value, span);
    default: HIDET_CHECK(false, parameter.name);
    }
}

// The arguments by parameter of the row; null where none was given.
struct Given {
    std::vector<const HostValue*> values;
    std::vector<Span> spans;
};

// The place in the signature of a name that a caller uses.
std::size_t place_of(const OpInfo& op, const Signature& signature, const std::string& name, Span span) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const CalledParameter& each = signature.parameters[i];
        if (each.name == name || op.parameters[each.index].name == name)
            return i;
        names.push_back(each.name);
    }
    throw DiagnosticError(Diagnostic::make(DiagId::UnknownKeyword, span, op.python, name).suggest(span, name, names));
}

Given match(const OpInfo& op, const Signature& signature, const lang::Args& args, Span span) {
    const std::size_t count = signature.parameters.size();
    Given given{std::vector<const HostValue*>(count), std::vector<Span>(count, span)};
    if (args.positional.size() > signature.positional)
        fail(DiagId::TooManyArguments, args.span_of(signature.positional, span), op.python,
             cat(signature.positional, signature.positional == 1 ? " argument" : " arguments",
                 signature.positional < count ? " without a name" : ""),
             cat(args.positional.size(), " were"));
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        given.values[signature.parameters[i].index] = &args.positional[i];
        given.spans[signature.parameters[i].index] = args.span_of(i, span);
    }
    for (std::size_t k = 0; k < args.keywords.size(); ++k) {
        const auto& [name, value] = args.keywords[k];
        const Span at = k < args.keyword_name_spans.size() ? args.keyword_name_spans[k] : span;
        const std::size_t i = signature.parameters[place_of(op, signature, name, at)].index;
        if (given.values[i])
            fail(DiagId::RepeatedArgument, at, op.python, name);
        given.values[i] = &value;
        given.spans[i] = k < args.keyword_spans.size() ? args.keyword_spans[k] : span;
    }
    return given;
}

void add_operands(lang::Evaluator& evaluator, const Parameter& parameter, const HostValue& value, Span span,
                  BoundArguments& bound) {
    if (parameter.kind == ParameterKind::Tensor) {
        bound.operands.push_back(value);
        bound.spans.push_back(span);
        return;
    }
    for (HostValue& item : evaluator.iterate(value, span)) {
        bound.operands.push_back(std::move(item));
        bound.spans.push_back(span);
    }
}

// A function that ends in any number of tensors takes them one by one as well: maximum(a, b).
lang::Args gathered(const Parameters& parameters, lang::Args args) {
    if (parameters.empty())
        return args;
    const std::size_t last = parameters.size() - 1;
    if (parameters[last].kind != ParameterKind::Tensors || args.positional.size() <= last ||
        !args.positional[last].is(ValueKind::Tensor))
        return args;
    std::vector<HostValue> tensors(args.positional.begin() + static_cast<std::ptrdiff_t>(last), args.positional.end());
    args.positional.resize(last);
    args.positional.push_back(HostValue::tuple(std::move(tensors)));
    return args;
}

Parameter called(Parameter parameter, std::string_view name) {
    parameter.name = name;
    return parameter;
}

// As lang::Arguments lists parameters: "name=" may be left out, "*" comes before those that go by name.
lang::SignatureAnswer answer_of(const OpInfo& op, const Signature& signature) {
    lang::SignatureAnswer out{op.python, {}};
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        if (i == signature.positional)
            out.parameters.emplace_back("*");
        const CalledParameter& each = signature.parameters[i];
        out.parameters.push_back(each.name + (op.parameters[each.index].is_optional ? "=" : ""));
    }
    return out;
}

} // namespace

BoundArguments bind_arguments(lang::Evaluator& evaluator, const OpInfo& op, const lang::Args& args, Span span) {
    const Parameters& parameters = op.parameters;
    const Signature& signature = signature_of(op);
    if (args.asks_signature)
        throw answer_of(op, signature);
    const lang::Args all = gathered(parameters, args); // what is given points into it
    const Given given = match(op, signature, all, span);
    std::vector<std::optional<Attribute>> otherwise(parameters.size());
    std::vector<std::string_view> names(parameters.size());
    for (const CalledParameter& each : signature.parameters) {
        otherwise[each.index] = each.otherwise ? each.otherwise : parameters[each.index].otherwise;
        names[each.index] = each.name;
    }
    BoundArguments bound;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        const HostValue* value = given.values[i];
        if (value && value->is(ValueKind::None) && parameter.is_optional)
            value = nullptr;
        if (!value && !parameter.is_optional)
            fail(DiagId::MissingArgument, span, op.python, names[i]);
        if (parameter.is_tensor()) {
            if (value)
                add_operands(evaluator, parameter, *value, given.spans[i], bound);
            continue;
        }
        if (value)
            bound.attributes.set(parameter.name,
                                 attribute_of(evaluator, op, called(parameter, names[i]), *value, given.spans[i]));
        else if (otherwise[i])
            bound.attributes.set(parameter.name, *otherwise[i]);
    }
    return bound;
}

std::optional<Attribute> plain_attribute(lang::Evaluator& evaluator, const HostValue& value, Span span) {
    switch (value.kind()) {
    case ValueKind::Bool: return value.as_bool();
    case ValueKind::Int: return value.as_int();
    case ValueKind::Float: return value.as_double();
    case ValueKind::Str: return value.as_str();
    case ValueKind::Tensor: return value.as_tensor();
    case ValueKind::Type:
        if (const auto dtype = ir::scalar_of(value.as_type()))
            return *dtype;
        return std::nullopt;
    case ValueKind::List:
    case ValueKind::Tuple: break;
    default: return std::nullopt;
    }
    const std::vector<HostValue> items = evaluator.iterate(value, span);
    Ints ints;
    Floats floats;
    Texts texts;
    for (const HostValue& item : items) {
        if (item.is(ValueKind::Int))
            ints.push_back(item.as_int());
        if (item.is(ValueKind::Int) || item.is(ValueKind::Float))
            floats.push_back(item.as_double());
        if (item.is(ValueKind::Str))
            texts.push_back(item.as_str());
    }
    if (ints.size() == items.size())
        return ints;
    if (floats.size() == items.size())
        return floats;
    return texts.size() == items.size() ? std::optional<Attribute>(texts) : std::nullopt;
}

Dim dim_argument(const HostValue& value, Span span) {
    if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
        return dim(value.as_int());
    if (value.is(ValueKind::Str))
        return symbol_dim(value.as_str());
    const auto dtype = value.is(ValueKind::Expr) ? ir::scalar_of(value.as_expr()->type) : std::nullopt;
    if (!dtype || !ir::is_integer(*dtype))
        fail(DiagId::BadType, span,
             cat("a dimension is an int, or a name for one that is not known, not '", lang::type_name(value), "'"));
    return simplified(ir::cast_to(value.as_expr(), ir::DType::I64));
}

Shape symbolic_shape(lang::Evaluator& evaluator, const HostValue& value, Span span) {
    Shape shape;
    if (value.is(ValueKind::Int) || value.is(ValueKind::Str) || value.is(ValueKind::Expr))
        return {dim_argument(value, span)};
    for (const HostValue& item : evaluator.iterate(value, span))
        shape.push_back(dim_argument(item, span));
    return shape;
}

} // namespace hidet::graph
