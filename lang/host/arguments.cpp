// SPDX-License-Identifier: Apache-2.0
#include "lang/host/arguments.h"

#include <algorithm>

#include "lang/host/evaluator.h"

namespace hidet::lang {

const Value& self_argument(const Args& args, std::string_view method, std::size_t others, Span span) {
    if (args.positional.empty() || !args.positional[0].is(ValueKind::Instance))
        fail(DiagId::BadType, span, cat("method '", method, "' is called without an object of its type"));
    if (args.positional.size() <= others)
        fail(DiagId::MissingArgument, span, method, "other");
    return args.positional[0];
}

Args behind_first(Args args, std::size_t count) {
    args.positional.erase(args.positional.begin(), args.positional.begin() + static_cast<std::ptrdiff_t>(count));
    args.spans.erase(args.spans.begin(),
                     args.spans.begin() + static_cast<std::ptrdiff_t>(std::min(count, args.spans.size())));
    return args;
}

Arguments::Arguments(const Args& args, Span call, std::string_view function,
                     std::span<const std::string_view> parameters)
    : m_function(function) {
    if (args.asks_signature)
        throw SignatureAnswer{m_function, {parameters.begin(), parameters.end()}};
    std::vector<bool> optional;
    std::size_t positional = 0;
    bool keyword_only = false, takes_rest = false, takes_keywords = false;
    for (std::string_view parameter : parameters) {
        if (parameter == "**") {
            takes_keywords = true;
        } else if (parameter.starts_with('*')) {
            takes_rest = parameter.size() > 1;
            keyword_only = true;
        } else {
            optional.push_back(parameter.ends_with('='));
            m_names.push_back(parameter.substr(0, parameter.size() - (optional.back() ? 1 : 0)));
            positional += keyword_only ? 0 : 1;
        }
    }
    m_values.assign(m_names.size(), nullptr);
    m_spans.assign(m_names.size(), call);
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        if (i < positional) {
            m_values[i] = &args.positional[i];
            m_spans[i] = args.span_of(i, call);
        } else if (takes_rest) {
            m_rest.push_back(args.positional[i]);
        } else {
            std::string takes = positional == 0   ? "no positional argument"
                                : positional == 1 ? "one positional argument"
                                                  : cat("at most ", positional, " positional arguments");
            fail(DiagId::TooManyArguments, args.span_of(positional, call), function, takes,
                 cat(args.positional.size(), args.positional.size() == 1 ? " was" : " were"));
        }
    }
    for (std::size_t k = 0; k < args.keywords.size(); ++k) {
        const std::string& name = args.keywords[k].first;
        Span span = k < args.keyword_spans.size() ? args.keyword_spans[k] : call;
        auto at = std::ranges::find(m_names, name);
        if (at == m_names.end() && takes_keywords)
            continue;
        if (at == m_names.end()) {
            Span at_name = k < args.keyword_name_spans.size() ? args.keyword_name_spans[k] : span;
            throw DiagnosticError(Diagnostic::make(DiagId::UnknownKeyword, at_name, function, name)
                                      .suggest(at_name, name, {m_names.begin(), m_names.end()}));
        }
        auto i = static_cast<std::size_t>(at - m_names.begin());
        if (m_values[i])
            fail(DiagId::RepeatedArgument, span, function, name);
        m_values[i] = &args.keywords[k].second;
        m_spans[i] = span;
    }
    for (std::size_t i = 0; i < m_names.size(); ++i)
        if (!m_values[i] && !optional[i])
            fail(DiagId::MissingArgument, call, function, m_names[i]);
}

NativeFunction bound(std::string_view name, const Parameters& parameters, BoundFunction function) {
    return [name = std::string(name), parameters, function = std::move(function)](Evaluator& evaluator, Args& args,
                                                                                  Span span) {
        return function(evaluator, Arguments(args, span, name, parameters.words()), span);
    };
}

Value Value::native(std::string name, const Parameters& parameters, BoundFunction function) {
    NativeFunction whole = bound(name, parameters, std::move(function));
    return native(std::move(name), std::move(whole));
}

const Value& Arguments::missing(std::size_t i) const {
    fail(DiagId::MissingArgument, m_spans[i], m_function, m_names[i]);
}

void Arguments::wrong_type(std::size_t i, std::string_view wanted) const {
    fail(DiagId::WrongArgumentType, m_spans[i], m_function, wanted, m_names[i], type_name(*m_values[i]));
}

std::int64_t Arguments::integer(std::size_t i) const {
    const Value& value = *m_values[i];
    if (!value.is(ValueKind::Int) && !value.is(ValueKind::Bool))
        wrong_type(i, "an int");
    return value.as_int();
}
std::int64_t Arguments::integer(std::size_t i, std::int64_t otherwise) const {
    return has(i) ? integer(i) : otherwise;
}
double Arguments::real(std::size_t i) const {
    if (!m_values[i]->is_number())
        wrong_type(i, "a number");
    return m_values[i]->as_double();
}
double Arguments::real(std::size_t i, double otherwise) const {
    return has(i) ? real(i) : otherwise;
}
bool Arguments::boolean(std::size_t i, bool otherwise) const {
    if (!m_values[i])
        return otherwise;
    if (!m_values[i]->is(ValueKind::Bool) && !m_values[i]->is(ValueKind::Int))
        wrong_type(i, "a bool");
    return m_values[i]->as_bool();
}
const std::string& Arguments::str(std::size_t i) const {
    if (!m_values[i]->is(ValueKind::Str))
        wrong_type(i, "a str");
    return m_values[i]->as_str();
}
std::string Arguments::str(std::size_t i, std::string_view otherwise) const {
    return has(i) ? str(i) : std::string(otherwise);
}
bool Arguments::any_unknown() const {
    return std::ranges::any_of(m_values, [](const Value* value) { return value && value->is(ValueKind::Unknown); });
}

void Arguments::want_known() const {
    if (any_unknown())
        throw UnknownValue{};
}

} // namespace hidet::lang
