// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/parameters.h"

#include <charconv>

#include "compiler/ir/ops.h"
#include "lang/base/text.h"
#include "lang/host/evaluator.h"
#include "lang/host/tensor_ops.h"

namespace hidet::graph {

namespace {

using HostValue = lang::Value;
using lang::ValueKind;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

// Split at commas that stand in no bracket: "x, dims: ints = [1, 2]".
std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && (text[i] == '[' || text[i] == '('))
            ++depth;
        if (i < text.size() && (text[i] == ']' || text[i] == ')'))
            --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0))
            continue;
        if (std::string_view part = trimmed(text.substr(start, i - start)); !part.empty())
            parts.push_back(part);
        start = i + 1;
    }
    return parts;
}

ParameterKind kind_of(std::string_view text) {
    static constexpr std::pair<std::string_view, ParameterKind> kinds[] = {
        {"tensor", ParameterKind::Tensor}, {"tensors", ParameterKind::Tensors}, {"bool", ParameterKind::Bool},
        {"int", ParameterKind::Int},       {"float", ParameterKind::Float},     {"str", ParameterKind::Str},
        {"dtype", ParameterKind::DType},   {"ints", ParameterKind::Ints},       {"floats", ParameterKind::Floats},
        {"strs", ParameterKind::Texts},    {"shape", ParameterKind::Shape},     {"number", ParameterKind::Number},
    };
    for (const auto& [name, kind] : kinds)
        if (name == text)
            return kind;
    HIDET_CHECK(false, std::string(text));
}

std::string_view unquoted(std::string_view text) {
    return text.starts_with("'") ? text.substr(1, text.size() - 2) : text;
}

double number_of(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    HIDET_CHECK(error == std::errc() && end == text.data() + text.size(), std::string(text));
    return value;
}

Attribute default_of(const Parameter& parameter) {
    std::string_view text = *parameter.otherwise;
    const auto items = [&] { return parts_of(text.substr(1, text.size() - 2)); };
    switch (parameter.kind) {
    case ParameterKind::Bool: return text == "True";
    case ParameterKind::Int: return static_cast<std::int64_t>(number_of(text));
    case ParameterKind::Float: return number_of(text);
    case ParameterKind::Str: return std::string(unquoted(text));
    case ParameterKind::Number: {
        const bool is_int = text.find_first_of(".en") == std::string_view::npos;
        return is_int ? Attribute(static_cast<std::int64_t>(number_of(text))) : Attribute(number_of(text));
    }
    case ParameterKind::DType: return ir::find_dtype(unquoted(text)).value();
    case ParameterKind::Ints: {
        Ints values;
        for (std::string_view item : items())
            values.push_back(static_cast<std::int64_t>(number_of(item)));
        return values;
    }
    case ParameterKind::Floats: {
        Floats values;
        for (std::string_view item : items())
            values.push_back(number_of(item));
        return values;
    }
    case ParameterKind::Texts: return Texts();
    case ParameterKind::Shape: {
        Shape shape;
        for (std::string_view item : items())
            shape.push_back(dim(static_cast<std::int64_t>(number_of(item))));
        return shape;
    }
    default: HIDET_CHECK(false, parameter.name);
    }
}

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
    switch (parameter.kind) {
    case ParameterKind::Bool:
        if (!value.is(ValueKind::Bool) && !value.is(ValueKind::Int))
            wrong("a bool", value);
        return value.as_int() != 0;
    case ParameterKind::Int:
        if (!value.is(ValueKind::Int) && !value.is(ValueKind::Bool))
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
        if (!value.is(ValueKind::Str))
            wrong("a str", value);
        return value.as_str();
    case ParameterKind::DType: return lang::dtype_argument(value, span);
    case ParameterKind::Ints: {
        Ints values;
        for (const HostValue& item : items_of(evaluator, value, span)) {
            if (!item.is(ValueKind::Int) && !item.is(ValueKind::Bool))
                wrong("ints", item);
            values.push_back(item.as_int());
        }
        return values;
    }
    case ParameterKind::Floats: {
        Floats values;
        for (const HostValue& item : items_of(evaluator, value, span)) {
            if (!item.is_number())
                wrong("numbers", item);
            values.push_back(item.as_double());
        }
        return values;
    }
    case ParameterKind::Texts: {
        Texts values;
        for (const HostValue& item : items_of(evaluator, value, span)) {
            if (!item.is(ValueKind::Str))
                wrong("strs", item);
            values.push_back(item.as_str());
        }
        return values;
    }
    case ParameterKind::Shape: return symbolic_shape(evaluator, value, span);
    default: HIDET_CHECK(false, parameter.name);
    }
}

// The arguments by parameter; null where none was given.
struct Given {
    std::vector<const HostValue*> values;
    std::vector<Span> spans;
};

Given match(const OpInfo& op, const std::vector<Parameter>& parameters, const lang::Args& args, Span span) {
    Given given{std::vector<const HostValue*>(parameters.size()), std::vector<Span>(parameters.size(), span)};
    if (args.positional.size() > parameters.size())
        fail(DiagId::TooManyArguments, args.span_of(parameters.size(), span), op.python,
             cat(parameters.size(), parameters.size() == 1 ? " argument" : " arguments"),
             cat(args.positional.size(), " were"));
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        given.values[i] = &args.positional[i];
        given.spans[i] = args.span_of(i, span);
    }
    for (std::size_t k = 0; k < args.keywords.size(); ++k) {
        const auto& [name, value] = args.keywords[k];
        const Span at = k < args.keyword_name_spans.size() ? args.keyword_name_spans[k] : span;
        std::vector<std::string> names;
        std::size_t i = 0;
        while (i < parameters.size() && parameters[i].name != name)
            names.push_back(parameters[i++].name);
        if (i == parameters.size())
            throw DiagnosticError(
                Diagnostic::make(DiagId::UnknownKeyword, at, op.python, name).suggest(at, name, names));
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
lang::Args gathered(const std::vector<Parameter>& parameters, lang::Args args) {
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

} // namespace

std::vector<Parameter> parameters_of(const OpInfo& op) {
    std::vector<Parameter> parameters;
    for (std::string_view part : parts_of(op.parameters)) {
        Parameter parameter;
        if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
            parameter.otherwise = std::string(trimmed(part.substr(equals + 1)));
            part = trimmed(part.substr(0, equals));
        }
        if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
            parameter.kind = kind_of(trimmed(part.substr(colon + 1)));
            part = trimmed(part.substr(0, colon));
        }
        parameter.name = std::string(part);
        parameters.push_back(std::move(parameter));
    }
    return parameters;
}

BoundArguments bind_arguments(lang::Evaluator& evaluator, const OpInfo& op, const lang::Args& args, Span span) {
    const std::vector<Parameter> parameters = parameters_of(op);
    const lang::Args all = gathered(parameters, args); // what is given points into it
    const Given given = match(op, parameters, all, span);
    BoundArguments bound;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        const HostValue* value = given.values[i];
        if (value && value->is(ValueKind::None) && parameter.otherwise)
            value = nullptr;
        if (!value && !parameter.otherwise)
            fail(DiagId::MissingArgument, span, op.python, parameter.name);
        if (parameter.is_tensor()) {
            if (value)
                add_operands(evaluator, parameter, *value, given.spans[i], bound);
            continue;
        }
        if (value)
            bound.attributes.set(parameter.name, attribute_of(evaluator, op, parameter, *value, given.spans[i]));
        else if (parameter.otherwise != "None")
            bound.attributes.set(parameter.name, default_of(parameter));
    }
    return bound;
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
