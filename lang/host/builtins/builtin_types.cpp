// SPDX-License-Identifier: Apache-2.0
// Built-in classes: conversions, and what isinstance() says of them.
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "lang/host/arguments.h"
#include "lang/host/builtins/builtins.h"
#include "lang/host/builtins/sorting.h"
#include "lang/host/operators.h"

namespace hidet::lang {

namespace {

[[noreturn]] void bad_int(std::int64_t base, std::string_view text, Span span) {
    fail(DiagId::BadValue, span, cat("invalid literal for int() with base ", base, ": ", quote(text)));
}

Value int_of_text(std::string_view text, std::int64_t base, Span span) {
    std::string digits(trimmed(text));
    std::int64_t shown = base;
    std::string sign;
    if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
        sign = digits.substr(0, 1);
        digits.erase(0, 1);
    }
    if (digits.size() > 2 && digits[0] == '0') {
        char mark = static_cast<char>(digits[1] | 0x20);
        std::int64_t named = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
        if (named && (base == named || base == 0)) {
            digits.erase(0, 2);
            base = named;
        }
    }
    base = base == 0 ? 10 : base;
    std::string plain;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        bool separator = digits[i] == '_' && i > 0 && i + 1 < digits.size() && digits[i - 1] != '_';
        if (!separator)
            plain += digits[i];
    }
    std::uint64_t magnitude = 0;
    auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), magnitude, static_cast<int>(base));
    if (plain.empty() || end != plain.data() + plain.size() ||
        (error != std::errc() && error != std::errc::result_out_of_range))
        bad_int(shown, text, span);
    bool negative = sign == "-";
    if (error != std::errc() || magnitude > (negative ? 9223372036854775808ull : 9223372036854775807ull))
        fail(DiagId::IntegerOverflow, span, cat("int(", quote(text), ")"));
    return Value::integer(negative ? static_cast<std::int64_t>(0 - magnitude) : static_cast<std::int64_t>(magnitude));
}

Value make_int(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "int", {"x=", "base="});
    if (!a.given(0))
        return Value::integer(0);
    const Value& value = a[0];
    switch (value.kind()) {
    case ValueKind::Unknown: return value;
    case ValueKind::Bool:
    case ValueKind::Int: return Value::integer(value.as_int());
    case ValueKind::Float: {
        double real = value.as_double();
        if (std::isnan(real))
            fail(DiagId::BadValue, a.span(0), "cannot convert float NaN to integer");
        if (!(std::fabs(real) < 9223372036854775808.0))
            fail(DiagId::IntegerOverflow, a.span(0), cat("int(", python_float(real), ")"));
        return Value::integer(static_cast<std::int64_t>(real));
    }
    case ValueKind::Str: {
        std::int64_t base = a.integer(1, 10);
        if (base != 0 && (base < 2 || base > 36))
            fail(DiagId::BadValue, a.span(1), "int() base must be >= 2 and <= 36, or 0");
        evaluator.impl().charge_items(value.as_str().size() * 2, span);
        return int_of_text(value.as_str(), base, a.span(0));
    }
    case ValueKind::Tensor: {
        Args item{.positional = {evaluator.call_method(value, "item", span)}};
        return make_int(evaluator, item, span);
    }
    default: break;
    }
    for (const char* name : {"__int__", "__index__"})
        if (auto result = evaluator.impl().call_method(value, name, {}, span))
            return *result;
    fail(DiagId::BadType, a.span(0),
         cat("int() argument must be a string, a bytes-like object or a real number, not '", type_name(value), "'"));
}

Value make_float(Evaluator& evaluator, const Arguments& a, Span span) {
    if (!a.given(0))
        return Value::real(0);
    const Value& value = a[0];
    if (value.is(ValueKind::Unknown))
        return value;
    if (value.is_number())
        return Value::real(value.as_double());
    if (value.is(ValueKind::Str)) {
        evaluator.impl().charge_items(value.as_str().size() * 4, span);
        std::string text(trimmed(value.as_str())), plain;
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] != '_' || i == 0 || i + 1 == text.size())
                plain += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
        std::string body = !plain.empty() && (plain[0] == '+' || plain[0] == '-') ? plain.substr(1) : plain;
        bool named = body == "inf" || body == "infinity" || body == "nan";
        char* end = nullptr;
        double real = std::strtod(plain.c_str(), &end);
        if (plain.empty() || *end != 0 || (!named && body.find_first_not_of("0123456789.e+-") != std::string::npos))
            fail(DiagId::BadValue, a.span(0), cat("could not convert string to float: ", quote(value.as_str())));
        return Value::real(real);
    }
    if (value.is(ValueKind::Tensor)) {
        Value item = evaluator.call_method(value, "item", span);
        return item.is(ValueKind::Unknown) ? item : Value::real(item.as_double());
    }
    if (auto result = evaluator.impl().call_method(value, "__float__", {}, span))
        return *result;
    fail(DiagId::BadType, a.span(0),
         cat("float() argument must be a string or a real number, not '", type_name(value), "'"));
}

Value make_bool(Evaluator& evaluator, const Arguments& a, Span) {
    return Value::boolean(a.given(0) && evaluator.truth(a[0], a.span(0)));
}

Value make_str(Evaluator& evaluator, const Arguments& a, Span) {
    if (a.given(0) && a[0].is(ValueKind::Str))
        return a[0];
    return a.given(0) ? evaluator.new_str(evaluator.str(a[0])) : Value::str("");
}

Value make_list(Evaluator& evaluator, const Arguments& a, Span) {
    return evaluator.new_list(a.given(0) ? evaluator.iterate(a[0], a.span(0)) : std::vector<Value>{});
}
Value make_tuple(Evaluator& evaluator, const Arguments& a, Span) {
    if (a.given(0) && a[0].is(ValueKind::Tuple))
        return a[0];
    return Value::tuple(a.given(0) ? evaluator.iterate(a[0], a.span(0)) : std::vector<Value>{});
}
Value make_set_of(Evaluator& evaluator, Args& args, Span span, bool frozen) {
    Arguments a(args, span, frozen ? "frozenset" : "set", {"iterable="});
    Value set = evaluator.impl().new_set();
    as_set(set).frozen = frozen;
    if (a.given(0))
        for (const Value& item : evaluator.iterate(a[0], a.span(0))) {
            as_set(set).table.set(evaluator, item, Value(), a.span(0));
        }
    return set;
}
Value make_set(Evaluator& evaluator, Args& args, Span span) {
    return make_set_of(evaluator, args, span, false);
}
Value make_frozenset(Evaluator& evaluator, Args& args, Span span) {
    return make_set_of(evaluator, args, span, true);
}
Value make_dict(Evaluator& evaluator, Args& args, Span span) {
    Value dict = evaluator.impl().new_dict();
    fill_dict(evaluator, as_dict(dict), args, span, "dict");
    return dict;
}

Value make_range(Evaluator&, const Arguments& a, Span span) {
    Ref<RangeObject> range(new RangeObject);
    if (a.any_unknown())
        return Value::unknown();
    for (std::size_t i = 0; i < 3; ++i)
        if (a.given(i) && !a[i].is(ValueKind::Int) && !a[i].is(ValueKind::Bool))
            fail(DiagId::BadType, a.span(i), cat("'", type_name(a[i]), "' object cannot be interpreted as an integer"));
    range->start = a.given(1) ? a.integer(0) : 0;
    range->stop = a.integer(a.given(1) ? 1 : 0);
    range->step = a.integer(2, 1);
    if (range->step == 0)
        fail(DiagId::BadValue, a.span(2), "range() arg 3 must not be zero");
    std::int64_t extent = 0;
    if (__builtin_sub_overflow(range->stop, range->start, &extent) ||
        __builtin_sub_overflow(range->start, range->stop, &extent) ||
        range->step == std::numeric_limits<std::int64_t>::min())
        fail(DiagId::IntegerOverflow, span, "the length of range()");
    return Value::object(ValueKind::Range, range);
}

Value make_slice(Evaluator&, const Arguments& a, Span) {
    Ref<SliceObject> slice(new SliceObject);
    (a.given(1) ? slice->start : slice->stop) = a[0];
    if (a.given(1))
        slice->stop = a[1];
    if (a.given(2))
        slice->step = a[2];
    return Value::object(ValueKind::Slice, slice);
}

Value make_type(Evaluator& evaluator, const Arguments& a, Span) {
    if (a[0].is(ValueKind::Unknown))
        return a[0];
    return Value::object(ValueKind::Class, evaluator.impl().class_of(a[0]));
}

Value make_object(Evaluator& evaluator, Args& args, Span span) {
    Arguments(args, span, "object", {});
    Ref<InstanceObject> instance(new InstanceObject);
    instance->type = evaluator.impl().builtin_class("object");
    evaluator.impl().track(*instance);
    return Value::object(ValueKind::Instance, instance);
}

struct TypeRow {
    FunctionRow construct;
    ValueKind kind;
};
constexpr TypeRow type_rows[] = {
    {{"int", make_int}, ValueKind::Int},
    {{"float", {"x="}, make_float}, ValueKind::Float},
    {{"bool", {"x="}, make_bool}, ValueKind::Bool},
    {{"str", {"object=", "encoding=", "errors="}, make_str}, ValueKind::Str},
    {{"list", {"iterable="}, make_list}, ValueKind::List},
    {{"tuple", {"iterable="}, make_tuple}, ValueKind::Tuple},
    {{"dict", make_dict}, ValueKind::Dict},
    {{"set", make_set}, ValueKind::Set},
    {{"frozenset", make_frozenset}, ValueKind::Set},
    {{"range", {"start", "stop=", "step="}, make_range}, ValueKind::Range},
    {{"slice", {"start", "stop=", "step="}, make_slice}, ValueKind::Slice},
    {{"type", {"object"}, make_type}, ValueKind::Class},
};

} // namespace

void fill_dict(Evaluator& evaluator, DictObject& dict, const Args& args, Span span, const char* function) {
    if (args.positional.size() > 1)
        fail(DiagId::TooManyArguments, args.span_of(1, span), function, "at most one positional argument",
             cat(args.positional.size(), " were"));
    auto put = [&](const Value& key, const Value& value, Span at) { dict.table.set(evaluator, key, value, at); };
    if (!args.positional.empty()) {
        const Value& from = args.positional[0];
        Span at = args.span_of(0, span);
        if (from.is(ValueKind::Dict)) {
            for (const ValueTable::Entry& entry : as_dict(from).table.living())
                put(entry.key, entry.value, at);
        } else {
            for (const Value& pair : evaluator.iterate(from, at)) {
                std::vector<Value> both = evaluator.iterate(pair, at);
                if (both.size() != 2)
                    fail(DiagId::BadValue, at,
                         cat("dictionary update sequence element has length ", both.size(), "; 2 is required"));
                put(both[0], both[1], at);
            }
        }
    }
    for (const auto& [name, value] : args.keywords)
        put(Value::str(name), value, span);
}

void install_types(Evaluator::Impl& impl) {
    for (const TypeRow& row : type_rows) {
        Ref<ClassObject> type = impl.new_class(std::string(row.construct.name), nullptr);
        type->is_builtin = true;
        type->construct = std::cref(row.construct);
        std::string_view name = row.construct.name;
        if (name == "int")
            type->holds = [](const Value& value) { return value.is(ValueKind::Int) || value.is(ValueKind::Bool); };
        else if (name == "set" || name == "frozenset")
            type->holds = [frozen = name == "frozenset"](const Value& value) {
                return value.is(ValueKind::Set) && as_set(value).frozen == frozen;
            };
        else
            type->holds = [kind = row.kind](const Value& value) { return value.is(kind); };
        impl.builtins.set(name, Value::object(ValueKind::Class, type));
    }
    Ref<ClassObject> object = impl.new_class("object", nullptr);
    object->is_builtin = true;
    object->construct = make_object;
    object->holds = [](const Value&) { return true; };
    impl.builtins.set("object", Value::object(ValueKind::Class, object));
}

void install_exceptions(Evaluator::Impl& impl) {
    auto add = [&](const char* name, const char* base) {
        Ref<ClassObject> type = impl.new_class(name, base ? impl.builtin_class(base) : nullptr);
        type->is_builtin = true;
        type->is_exception = true;
        impl.builtins.set(name, Value::object(ValueKind::Class, type));
    };
    add("BaseException", nullptr);
#define HIDET_EXCEPTION(name, base) add(#name, #base);
#include "lang/host/exceptions.def"
    for (const char* alias : {"IOError", "EnvironmentError"})
        impl.builtins.set(alias, impl.builtin("OSError"));
}

} // namespace hidet::lang
