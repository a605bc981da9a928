// SPDX-License-Identifier: Apache-2.0
// hidet.option: the settings of options.def as functions.
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"

namespace hidet::lang {

namespace {

enum class Kind : std::uint8_t { Bool, Int, Str, Tuple3 };
struct OptionRow {
    std::string_view name;
    Kind kind;
    Value (*otherwise)();
};

Value bench_default() {
    return Value::tuple({Value::integer(3), Value::integer(10), Value::integer(3)});
}
template <class T>
Value value_of(T value) {
    if constexpr (std::is_same_v<T, bool>)
        return Value::boolean(value);
    else if constexpr (std::is_same_v<T, int>)
        return Value::integer(value);
    else
        return Value::str(value);
}

const OptionRow option_rows[] = {
#define HIDET_OPTION(name, kind, otherwise, effect)                                                                    \
    {name, Kind::kind, [] { return Kind::kind == Kind::Tuple3 ? bench_default() : value_of(otherwise); }},
#include "lang/host/options.def"
#undef HIDET_OPTION
};

const OptionRow* find_row(std::string_view name) {
    for (const OptionRow& row : option_rows)
        if (row.name == name)
            return &row;
    return nullptr;
}

[[noreturn]] void unknown(std::string_view name, Span span) {
    std::vector<std::string> names;
    for (const OptionRow& row : option_rows)
        names.emplace_back(row.name);
    throw DiagnosticError(Diagnostic::make(DiagId::UnknownOption, span, name).suggest({}, name, names));
}

const char* wanted(Kind kind) {
    return kind == Kind::Bool ? "a bool" : kind == Kind::Int ? "an int" : kind == Kind::Str ? "a str" : "three ints";
}

void set(Evaluator& evaluator, const OptionRow& row, const Value& value, Span span) {
    bool fits = value.is(ValueKind::Unknown) ||
                (row.kind == Kind::Bool && (value.is(ValueKind::Bool) || value.is(ValueKind::Int))) ||
                (row.kind == Kind::Int && value.is(ValueKind::Int)) ||
                (row.kind == Kind::Str && value.is(ValueKind::Str)) ||
                (row.kind == Kind::Tuple3 && value.is(ValueKind::Tuple) && value.items().size() == 3);
    if (!fits)
        fail(DiagId::WrongArgumentType, span, row.name, wanted(row.kind), row.name, type_name(value));
    evaluator.impl().option_values.set(row.name, value);
}

Value get(Evaluator& evaluator, const OptionRow& row) {
    const Value* value = evaluator.impl().option_values.find(row.name);
    return value ? *value : row.otherwise();
}

Value setter(const OptionRow& row) {
    return Value::native(std::string(row.name), [&row](Evaluator& evaluator, Args& args, Span span) {
        Value previous = get(evaluator, row);
        if (args.positional.empty() && args.keywords.empty()) {
            if (row.kind != Kind::Bool)
                fail(DiagId::MissingArgument, span, row.name, "value");
            set(evaluator, row, Value::boolean(true), span);
            return Value();
        }
        if (row.kind == Kind::Tuple3) {
            Arguments a(args, span, row.name, {"warmup=", "number=", "repeat="});
            set(evaluator, row,
                Value::tuple({Value::integer(a.integer(0, 3)), Value::integer(a.integer(1, 10)),
                              Value::integer(a.integer(2, 3))}),
                span);
            return Value();
        }
        if (!args.keywords.empty()) { // upstream's parameter names differ from option to option
            set(evaluator, row, args.keywords[0].second, args.keyword_spans.empty() ? span : args.keyword_spans[0]);
            return Value();
        }
        if (args.positional.size() > 1)
            fail(DiagId::TooManyArguments, args.span_of(1, span), row.name, "one positional argument",
                 cat(args.positional.size(), " were"));
        set(evaluator, row, args.positional[0], args.span_of(0, span));
        return Value();
    });
}

// hidet.option.cuda.build: a part of dotted names.
class Group : public NativeObject {
public:
    explicit Group(std::string prefix) : m_prefix(std::move(prefix)) {}
    std::string type_name() const override { return "option group"; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override;
    std::vector<std::string> attributes() const override {
        std::vector<std::string> names;
        for (const OptionRow& row : option_rows)
            if (row.name.starts_with(m_prefix + ".")) {
                std::string_view rest = row.name.substr(m_prefix.size() + 1);
                names.emplace_back(rest.substr(0, rest.find('.')));
            }
        if (m_prefix == "cuda")
            names.insert(names.end(), {"get_arch", "get_arch_pair"});
        return names;
    }

private:
    std::string m_prefix;
};

std::unique_ptr<Value> option_value(const std::string& name) {
    if (const OptionRow* row = find_row(name))
        return std::make_unique<Value>(setter(*row));
    for (const OptionRow& row : option_rows)
        if (row.name.starts_with(name + "."))
            return std::make_unique<Value>(Value::extension(Ref<NativeObject>(new Group(name))));
    return nullptr;
}

// The architecture that kernels are made for, as "sm_90"; that of tensors on `cuda` where none is asked for.
std::string cuda_arch(Evaluator& evaluator) {
    const Value asked = get(evaluator, *find_row("cuda.arch"));
    return asked.is(ValueKind::Str) && asked.as_str().starts_with("sm_") ? asked.as_str() : "sm_90";
}

Value get_arch(Evaluator& evaluator, Args& args, Span span) {
    Arguments(args, span, "get_arch", {});
    return Value::str(cuda_arch(evaluator));
}

Value get_arch_pair(Evaluator& evaluator, Args& args, Span span) {
    Arguments(args, span, "get_arch_pair", {});
    const std::int64_t number = std::atoll(cuda_arch(evaluator).c_str() + 3);
    return Value::tuple({Value::integer(number / 10), Value::integer(number % 10)});
}

std::unique_ptr<Value> Group::attribute(Evaluator&, std::string_view name, Span) {
    if (m_prefix == "cuda" && name == "get_arch")
        return std::make_unique<Value>(Value::native("get_arch", get_arch));
    if (m_prefix == "cuda" && name == "get_arch_pair")
        return std::make_unique<Value>(Value::native("get_arch_pair", get_arch_pair));
    return option_value(m_prefix + "." + std::string(name));
}

Value set_option(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "set_option", {"name", "value"});
    const OptionRow* row = find_row(a.str(0));
    if (!row)
        unknown(a.str(0), a.span(0));
    set(evaluator, *row, a[1], a.span(1));
    return Value();
}

// with hidet.option.context(): what is set inside is undone at its end.
class Saved : public NativeObject {
public:
    std::string type_name() const override { return "OptionContext"; }
    std::unique_ptr<Value> enter(Evaluator& evaluator, Span) override {
        m_saved = evaluator.impl().option_values;
        return std::make_unique<Value>(Value::extension(Ref<NativeObject>(this)));
    }
    void exit(Evaluator& evaluator, Span) override { evaluator.impl().option_values = m_saved; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        if (name != "set_option")
            return nullptr;
        return std::make_unique<Value>(Value::native("set_option", set_option));
    }
    std::vector<std::string> attributes() const override { return {"set_option"}; }

private:
    NameTable m_saved;
};

} // namespace

HostModuleRef make_hidet_option(Evaluator&, std::string_view name) {
    HostModuleRef module(new HostModule(std::string(name)));
    module->function("set_option", set_option);
    module->function("get_option", [](Evaluator& evaluator, Args& args, Span span) {
        Arguments a(args, span, "get_option", {"name"});
        const OptionRow* row = find_row(a.str(0));
        if (!row)
            unknown(a.str(0), a.span(0));
        return get(evaluator, *row);
    });
    module->function("context", [](Evaluator&, Args& args, Span span) {
        Arguments(args, span, "context", {});
        return Value::extension(Ref<NativeObject>(new Saved));
    });
    for (const OptionRow& row : option_rows) {
        std::string first(row.name.substr(0, row.name.find('.')));
        if (!module->table.find(first))
            module->add(first, *option_value(first));
        if (first == row.name)
            module->function("get_" + first, [&row](Evaluator& evaluator, Args& args, Span span) {
                Arguments(args, span, cat("get_", row.name), {});
                return get(evaluator, row);
            });
    }
    return module;
}

} // namespace hidet::lang
