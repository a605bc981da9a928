// SPDX-License-Identifier: Apache-2.0
// Built-in functions.
#include "lang/host/builtins/builtins.h"

#include <algorithm>
#include <cmath>

#include "lang/host/arguments.h"
#include "lang/host/builtins/sorting.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/typing.h"

namespace hidet::lang {

std::int64_t length_of(Evaluator& evaluator, const Value& value, Span span) {
    switch (value.kind()) {
    case ValueKind::Str:
        evaluator.impl().charge_text(value, span);
        return is_ascii(value.as_str()) ? static_cast<std::int64_t>(value.as_str().size())
                                        : code_point_count(value.as_str());
    case ValueKind::List:
    case ValueKind::Tuple: return static_cast<std::int64_t>(value.items().size());
    case ValueKind::Dict: return static_cast<std::int64_t>(as_dict(value).table.size());
    case ValueKind::Set: return static_cast<std::int64_t>(as_set(value).table.size());
    case ValueKind::Range: return as_range(value).size();
    case ValueKind::Unknown: throw UnknownValue{};
    case ValueKind::Tensor:
        if (!value.as_tensor()->shape.empty())
            return value.as_tensor()->shape[0];
        break;
    case ValueKind::Instance:
        if (auto result = evaluator.impl().call_method(value, "__len__", {}, span)) {
            if (!result->is(ValueKind::Int) || result->as_int() < 0)
                fail(DiagId::BadType, span, "__len__() must return an int that is not negative");
            return result->as_int();
        }
        break;
    case ValueKind::Extension:
        if (auto items = static_cast<NativeObject*>(value.object())->iterate(evaluator, span))
            return static_cast<std::int64_t>(items->size());
        break;
    default: break;
    }
    fail(DiagId::BadType, span, cat("object of type '", type_name(value), "' has no len()"));
}

std::vector<Value> sorted_values(Evaluator& evaluator, std::vector<Value> items, const Value* key, bool reverse,
                                 Span span) {
    std::vector<std::pair<Value, Value>> keyed;
    evaluator.impl().check_bytes(items.size() * 4 * sizeof(Value), span);
    evaluator.impl().charge_items(items.size(), span);
    keyed.reserve(items.size());
    bool by_key = key && !key->is(ValueKind::None);
    for (Value& item : items)
        keyed.emplace_back(by_key ? evaluator.call(*key, {item}, span) : item, item);
    if (reverse)
        std::ranges::reverse(keyed);
    // A merge sort of our own: std::stable_sort may not be given a comparison that throws or is inconsistent.
    std::vector<std::pair<Value, Value>> other(keyed.size());
    for (std::size_t width = 1; width < keyed.size(); width *= 2) {
        for (std::size_t begin = 0; begin < keyed.size(); begin += 2 * width) {
            std::size_t middle = std::min(begin + width, keyed.size()), end = std::min(begin + 2 * width, keyed.size());
            std::size_t a = begin, b = middle, out = begin;
            while (a < middle && b < end) {
                evaluator.charge_steps(1, span);
                other[out++] = less(evaluator, keyed[b].first, keyed[a].first, span) ? keyed[b++] : keyed[a++];
            }
            while (a < middle)
                other[out++] = keyed[a++];
            while (b < end)
                other[out++] = keyed[b++];
        }
        keyed.swap(other);
    }
    if (reverse)
        std::ranges::reverse(keyed);
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = keyed[i].second;
    return items;
}

namespace {

Value print(Evaluator& evaluator, Args& args, Span span) {
    std::string separator = " ", end = "\n";
    for (std::size_t k = 0; k < args.keywords.size(); ++k) {
        const auto& [name, value] = args.keywords[k];
        Span at = k < args.keyword_name_spans.size() ? args.keyword_name_spans[k] : span;
        if (name == "sep" || name == "end") {
            if (!value.is(ValueKind::Str) && !value.is(ValueKind::None))
                fail(DiagId::WrongArgumentType, at, "print", "a str", name, type_name(value));
            if (value.is(ValueKind::Str))
                (name == "sep" ? separator : end) = value.as_str();
        } else if (name != "flush" && name != "file") {
            throw DiagnosticError(Diagnostic::make(DiagId::UnknownKeyword, at, "print", name)
                                      .suggest(at, name, {"sep", "end", "flush", "file"}));
        }
    }
    std::string out;
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        if (i > 0)
            out += separator;
        evaluator.charge_steps(1, span);
        out += evaluator.str(args.positional[i]);
        evaluator.impl().check_bytes(out.size(), span);
    }
    evaluator.print(out + end);
    return Value();
}

Value len(Evaluator& evaluator, const Arguments& a, Span) {
    return Value::integer(length_of(evaluator, a[0], a.span(0)));
}

template <bool largest>
Value extreme(Evaluator& evaluator, Args& args, Span span) {
    const char* name = largest ? "max" : "min";
    Arguments a(args, span, name, {"*args", "key=", "default="});
    std::vector<Value> items = a.rest();
    Span at = args.span_of(0, span);
    if (items.size() == 1)
        items = evaluator.iterate(items[0], at);
    else if (items.empty())
        fail(DiagId::MissingArgument, span, name, "iterable");
    if (items.empty()) {
        if (a.given(1))
            return a[1];
        fail(DiagId::BadValue, at, cat(name, "() of an empty sequence"));
    }
    bool by_key = a.has(0);
    std::size_t best = 0;
    Value best_key = by_key ? evaluator.call(a[0], {items[0]}, span) : items[0];
    for (std::size_t i = 1; i < items.size(); ++i) {
        evaluator.charge_steps(1, span);
        Value key = by_key ? evaluator.call(a[0], {items[i]}, span) : items[i];
        bool better = largest ? less(evaluator, best_key, key, span) : less(evaluator, key, best_key, span);
        if (better) {
            best = i;
            best_key = key;
        }
    }
    return items[best];
}

Value sum(Evaluator& evaluator, const Arguments& a, Span span) {
    Value total = a.given(1) ? a[1] : Value::integer(0);
    if (total.is(ValueKind::Str))
        fail(DiagId::BadType, a.span(1), "sum() cannot sum strings: use ''.join(seq)");
    Ref<IteratorObject> items = evaluator.impl().iterator(a[0], a.span(0));
    Value item;
    while (items->next(evaluator, item)) {
        evaluator.charge_steps(1, span);
        total = binary(evaluator, ast::BinaryOp::Add, total, item, a.span(0), a.span(0));
    }
    return total;
}

Value absolute(Evaluator& evaluator, const Arguments& a, Span span) {
    switch (a[0].kind()) {
    case ValueKind::Bool:
    case ValueKind::Int:
        return a[0].as_int() < 0 ? unary(evaluator, ast::UnaryOp::Minus, a[0], a.span(0))
                                 : Value::integer(a[0].as_int());
    case ValueKind::Float: return Value::real(std::fabs(a[0].as_double()));
    case ValueKind::Tensor: return evaluator.call_method(a[0], "abs", span);
    case ValueKind::Unknown: return a[0];
    default: break;
    }
    if (auto result = evaluator.impl().call_method(a[0], "__abs__", {}, span))
        return *result;
    fail(DiagId::BadType, a.span(0), cat("bad operand type for abs(): '", type_name(a[0]), "'"));
}

double rounded(double value, std::int64_t digits) {
    if (digits > 300 || !std::isfinite(value))
        return value;
    if (digits < -300)
        return 0.0 * value;
    if (digits >= 0 && digits <= 17) { // through the decimal text, as Python rounds
        char text[400];
        std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), value);
        return std::strtod(text, nullptr);
    }
    double scale = std::pow(10.0, static_cast<double>(digits));
    return std::nearbyint(value * scale) / scale;
}

Value to_integer(double value, Span span) {
    if (std::isnan(value))
        fail(DiagId::BadValue, span, "cannot convert float NaN to integer");
    if (!(std::fabs(value) < 9223372036854775808.0))
        throw HostError(Diagnostic::make(DiagId::IntegerOverflow, span, cat("int(", python_float(value), ")")),
                        {Value::str(std::isinf(value) ? "cannot convert float infinity to integer"
                                                      : "the integer does not fit into 64 bits")});
    return Value::integer(static_cast<std::int64_t>(value));
}

Value round(Evaluator& evaluator, const Arguments& a, Span span) {
    if (a[0].is(ValueKind::Unknown))
        return a[0];
    bool has_digits = a.has(1);
    if (a[0].is(ValueKind::Int) || a[0].is(ValueKind::Bool)) {
        std::int64_t digits = a.integer(1, 0), value = a[0].as_int();
        if (digits >= 0)
            return Value::integer(value);
        if (digits < -18)
            return Value::integer(0);
        auto scale = static_cast<std::int64_t>(std::pow(10.0, static_cast<double>(-digits)));
        const std::int64_t below = floor_div(value, scale, span), rest = floor_mod(value, scale, span);
        const bool up = rest * 2 > scale || (rest * 2 == scale && below % 2 != 0);
        return binary(evaluator, ast::BinaryOp::Mul, Value::integer(below + (up ? 1 : 0)), Value::integer(scale), span,
                      span);
    }
    if (auto result = evaluator.impl().call_method(a[0], "__round__",
                                                   has_digits ? std::vector<Value>{a[1]} : std::vector<Value>{}, span))
        return *result;
    double value = a.real(0);
    return has_digits ? Value::real(rounded(value, a.integer(1))) : to_integer(std::nearbyint(value), a.span(0));
}

Value divide_modulo(Evaluator& evaluator, const Arguments& a, Span) {
    return Value::tuple({binary(evaluator, ast::BinaryOp::FloorDiv, a[0], a[1], a.span(0), a.span(1)),
                         binary(evaluator, ast::BinaryOp::Mod, a[0], a[1], a.span(0), a.span(1))});
}

Value power(Evaluator& evaluator, const Arguments& a, Span span) {
    if (!a.has(2))
        return binary(evaluator, ast::BinaryOp::Pow, a[0], a[1], a.span(0), a.span(1));
    std::int64_t modulus = a.integer(2), exponent = a.integer(1);
    if (modulus == 0)
        fail(DiagId::BadValue, a.span(2), "pow() 3rd argument cannot be 0");
    if (exponent < 0)
        fail(DiagId::BadValue, a.span(1), "pow() with a modulus wants an exponent that is not negative");
    __extension__ using Wide = __int128;
    Wide result = 1, base = floor_mod(a.integer(0), modulus, span);
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return Value::integer(floor_mod(static_cast<std::int64_t>(result % modulus), modulus, span));
}

template <bool wanted>
Value any_of(Evaluator& evaluator, const Arguments& a, Span span) {
    Ref<IteratorObject> items = evaluator.impl().iterator(a[0], a.span(0));
    Value item;
    while (items->next(evaluator, item)) {
        evaluator.charge_steps(1, span);
        if (evaluator.truth(item, a.span(0)) == wanted)
            return Value::boolean(wanted);
    }
    return Value::boolean(!wanted);
}

Value is_instance(Evaluator& evaluator, const Arguments& a, Span) {
    return Value::boolean(evaluator.impl().is_instance(a[0], a[1], a.span(1)));
}

bool derives(Evaluator& evaluator, const Value& type, const Value& bases, Span span) {
    evaluator.impl().check_stack(span);
    evaluator.charge_steps(1, span);
    if (bases.is(ValueKind::Tuple))
        return std::ranges::any_of(bases.items(),
                                   [&](const Value& base) { return derives(evaluator, type, base, span); });
    if (!bases.is(ValueKind::Class))
        fail(DiagId::BadType, span, "issubclass() arg 2 must be a class or a tuple of classes");
    const std::string &name = as_class(type).name, &base = as_class(bases).name;
    return as_class(type).derives_from(as_class(bases)) || (base == "object" && as_class(bases).is_builtin) ||
           (name == "bool" && base == "int");
}
Value is_subclass(Evaluator& evaluator, const Arguments& a, Span) {
    if (!a[0].is(ValueKind::Class))
        fail(DiagId::BadType, a.span(0), "issubclass() arg 1 must be a class");
    return Value::boolean(derives(evaluator, a[0], a[1], a.span(1)));
}

// Hashed and compared, for each class that is asked.
const std::string& name_argument(Evaluator& evaluator, const Arguments& a) {
    const std::string& name = a.str(1);
    evaluator.impl().charge_items(name.size(), a.span(1));
    return name;
}

Value get_attribute(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::string& name = name_argument(evaluator, a);
    if (!a.given(2))
        return evaluator.attribute(a[0], name, a.span(1));
    try {
        if (auto value = evaluator.impl().get_attribute(a[0], name, a.span(1)))
            return *value;
    } catch (const DiagnosticError&) { // an attribute of IR that is not there
        evaluator.charge_steps(cost::exception, span);
        if (!a[0].is_ir())
            throw;
    }
    return a[2];
}
Value set_attribute(Evaluator& evaluator, const Arguments& a, Span span) {
    evaluator.charge_steps(2 * cost::call, span); // a name that is not of the script is copied, and found anew
    evaluator.impl().set_attribute(a[0], {name_argument(evaluator, a), a.span(1)}, a[2]);
    return Value();
}
Value has_attribute(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::string& name = name_argument(evaluator, a);
    if (a[0].is(ValueKind::Unknown))
        return a[0];
    try {
        return Value::boolean(evaluator.impl().get_attribute(a[0], name, a.span(1)).has_value());
    } catch (const DiagnosticError&) {
        evaluator.charge_steps(cost::exception, span);
        return Value::boolean(false);
    } catch (const RaisedError& error) {
        evaluator.charge_steps(cost::exception, span);
        if (error.exception->type->name != "AttributeError")
            throw;
        return Value::boolean(false);
    }
}
Value delete_attribute(Evaluator& evaluator, const Arguments& a, Span) {
    evaluator.impl().delete_attribute(a[0], {name_argument(evaluator, a), a.span(1)});
    return Value();
}

Value callable(Evaluator&, const Arguments& a, Span) {
    switch (a[0].kind()) {
    case ValueKind::Function:
    case ValueKind::Native:
    case ValueKind::BoundMethod:
    case ValueKind::Class:
    case ValueKind::ScriptFunction: return Value::boolean(true);
    case ValueKind::Instance: return Value::boolean(as_instance(a[0]).type->find("__call__") != nullptr);
    case ValueKind::Extension:
        return Value::boolean(static_cast<NativeObject*>(a[0].object())->type_name() == "CompiledModule");
    case ValueKind::Unknown: return a[0];
    default: return Value::boolean(false);
    }
}

Value repr(Evaluator& evaluator, const Arguments& a, Span) {
    return evaluator.new_str(evaluator.repr(a[0]));
}
Value format(Evaluator& evaluator, const Arguments& a, Span span) {
    return evaluator.new_str(format_value(evaluator, a[0], a.str(1, ""), span));
}

Value ord(Evaluator& evaluator, const Arguments& a, Span span) {
    const std::string& text = a.str(0);
    evaluator.impl().charge_items(text.size(), span);
    if (std::int64_t count = code_point_count(text); count != 1)
        fail(DiagId::BadType, a.span(0), cat("ord() expected a character, but string of length ", count, " found"));
    return Value::integer(static_cast<std::int64_t>(decode(text)[0]));
}
Value chr(Evaluator&, const Arguments& a, Span) {
    std::int64_t code = a.integer(0);
    if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        fail(DiagId::BadValue, a.span(0), "chr() arg not in range(0x110000)");
    std::string out;
    append_code_point(out, static_cast<char32_t>(code));
    return Value::str(out);
}
template <char letter>
Value in_base(Evaluator& evaluator, Args& args, Span span) {
    const char* name = letter == 'x' ? "hex" : letter == 'o' ? "oct" : "bin";
    Arguments a(args, span, name, {"number"});
    return Value::str(format_value(evaluator, Value::integer(a.integer(0)), std::string("#") + letter, span));
}

Value identity(Evaluator& evaluator, const Arguments& a, Span span) {
    const void* object = a[0].is(ValueKind::Tensor) ? static_cast<const void*>(a[0].as_tensor().get()) : a[0].object();
    if (!object)
        return Value::integer(static_cast<std::int64_t>(hash_value(evaluator, a[0], span)));
    auto& impl = evaluator.impl();
    auto [at, fresh] = impl.ids.emplace(object, impl.next_id);
    impl.next_id += fresh ? 1 : 0;
    return Value::integer(static_cast<std::int64_t>(at->second * 16 + 140000000000));
}
Value hash(Evaluator& evaluator, const Arguments& a, Span) {
    return Value::integer(static_cast<std::int64_t>(hash_value(evaluator, a[0], a.span(0)) & 0x7FFFFFFFFFFFFFFF));
}

Value dir(Evaluator& evaluator, const Arguments& a, Span span) {
    std::vector<Value> names;
    std::vector<std::string> known = evaluator.impl().attribute_names(a[0]);
    evaluator.charge_steps(known.size() * cost::suggestion, span);
    for (std::string& name : known)
        names.push_back(Value::str(std::move(name)));
    return evaluator.new_list(std::move(names));
}
Value variables(Evaluator& evaluator, const Arguments& a, Span) {
    return evaluator.attribute(a[0], "__dict__", a.span(0));
}

template <MethodWrapper::What what>
Value wrapper(Evaluator&, Args& args, Span span) {
    Arguments a(args, span, "decorator", {"function=", "setter="});
    Ref<MethodWrapper> made(new MethodWrapper);
    made->what = what;
    if (a.given(0))
        made->function = a[0];
    if (a.given(1))
        made->setter = a[1];
    return Value::extension(made);
}

constexpr FunctionRow function_rows[] = {
    {"abs", {"x"}, absolute},
    {"all", {"iterable"}, any_of<false>},
    {"any", {"iterable"}, any_of<true>},
    {"bin", in_base<'b'>},
    {"callable", {"obj"}, callable},
    {"chr", {"i"}, chr},
    {"classmethod", wrapper<MethodWrapper::What::Class>},
    {"delattr", {"obj", "name"}, delete_attribute},
    {"dir", {"object"}, dir},
    {"divmod", {"x", "y"}, divide_modulo},
    {"format", {"value", "format_spec="}, format},
    {"getattr", {"obj", "name", "default="}, get_attribute},
    {"hasattr", {"obj", "name"}, has_attribute},
    {"hash", {"obj"}, hash},
    {"hex", in_base<'x'>},
    {"id", {"obj"}, identity},
    {"isinstance", {"obj", "class_or_tuple"}, is_instance},
    {"issubclass", {"cls", "class_or_tuple"}, is_subclass},
    {"len", {"obj"}, len},
    {"max", extreme<true>},
    {"min", extreme<false>},
    {"oct", in_base<'o'>},
    {"ord", {"c"}, ord},
    {"pow", {"base", "exp", "mod="}, power},
    {"print", print},
    {"property", wrapper<MethodWrapper::What::Property>},
    {"repr", {"obj"}, repr},
    {"round", {"number", "ndigits="}, round},
    {"setattr", {"obj", "name", "value"}, set_attribute},
    {"staticmethod", wrapper<MethodWrapper::What::Static>},
    {"sum", {"iterable", "start="}, sum},
    {"vars", {"object"}, variables},
};

struct RefusedRow {
    const char* name;
    const char* why;
};
constexpr RefusedRow refused_rows[] = {
    {"input", "a script runs without a keyboard"},
    {"open", "scripts have no access to files"},
    {"exec", "code is what the file says"},
    {"eval", "code is what the file says"},
    {"compile", "code is what the file says"},
    {"__import__", "use an import statement"},
    {"globals", "names are looked up by the evaluator"},
    {"locals", "names are looked up by the evaluator"},
    {"breakpoint", "there is no debugger for host code"},
    {"memoryview", "there are no bytes objects"},
    {"bytearray", "there are no bytes objects"},
    {"bytes", "there are no bytes objects"},
    {"complex", "there are no complex numbers"},
};

void install(Evaluator::Impl& impl, std::span<const FunctionRow> rows) {
    for (const FunctionRow& row : rows) {
        Ref<NativeFunctionObject> native(new NativeFunctionObject);
        native->name = row.name;
        native->function = std::cref(row);
        native->has_ir_form = true;
        impl.builtins.set(row.name, Value::object(ValueKind::Native, native));
    }
}

} // namespace

void install_builtins(Evaluator::Impl& impl) {
    install(impl, function_rows);
    install(impl, iteration_functions());
    for (const RefusedRow& row : refused_rows)
        impl.builtins.set(row.name, Value::native(row.name, [&row](Evaluator&, Args&, Span span) -> Value {
                              fail(DiagId::RefusedFunction, span, row.name, row.why);
                          }));
    for (const char* name : {"exit", "quit"})
        impl.builtins.set(name, Value::native(name, [](Evaluator& evaluator, Args& args, Span span) -> Value {
                              evaluator.impl().raise("SystemExit", args.positional, span);
                          }));
    impl.builtins.set("Ellipsis", Value::ellipsis());
    impl.builtins.set("NotImplemented", new_extension<TypingForm>("NotImplemented"));
    install_types(impl);
    install_exceptions(impl);
}

} // namespace hidet::lang
