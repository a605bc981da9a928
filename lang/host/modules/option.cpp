// SPDX-License-Identifier: Apache-2.0
// hidet.option: the settings of options.def as functions.
#include "lang/base/transformed.h"
#include "lang/host/options.h"

#include <algorithm>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/members.h"

namespace hidet::lang {

namespace {

enum class Kind : std::uint8_t { Bool, Int, Str, Tuple3 };
struct OptionRow {
    std::string_view name;
    Kind kind;
    Value (*otherwise)();
    const char* idle; // why it changes nothing; null: it does
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
    {name, Kind::kind, [] { return Kind::kind == Kind::Tuple3 ? bench_default() : value_of(otherwise); }, nullptr},
#define HIDET_IDLE_OPTION(name, kind, otherwise, reason) {name, Kind::kind, [] { return value_of(otherwise); }, reason},
#include "lang/host/options.def"
#undef HIDET_OPTION
#undef HIDET_IDLE_OPTION
};

const OptionRow* find_row(std::string_view name) {
    const auto row = std::ranges::find(option_rows, name, &OptionRow::name);
    return row == std::end(option_rows) ? nullptr : row;
}

[[noreturn]] void unknown(std::string_view name, Span span) {
    std::vector<std::string> names = transformed<std::string>(option_rows, &OptionRow::name);
    throw DiagnosticError(Diagnostic::make(DiagId::UnknownOption, span, name).suggest({}, name, names));
}

const char* wanted(Kind kind) {
    return kind == Kind::Bool ? "a bool" : kind == Kind::Int ? "an int" : kind == Kind::Str ? "a str" : "three ints";
}

bool is_word(std::string_view text, std::string_view also) {
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               also.find(c) != std::string_view::npos;
    });
}
bool is_architecture(std::string_view text) {
    return text.starts_with("sm_") && text.size() > 4 && text[3] >= '1' && text[3] <= '9' && is_word(text, "_");
}
bool are_repetitions(const Value& value) {
    const auto is_at_least = [&](std::size_t i, std::int64_t least) {
        return value.items()[i].is(ValueKind::Int) && value.items()[i].as_int() >= least;
    };
    return is_at_least(0, 0) && is_at_least(1, 1) && is_at_least(2, 1);
}

bool is_count(std::string_view text) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && text.size() < 4 && text[0] != '0' && std::ranges::all_of(text, is_digit);
}

// What the values of a kind leave open. Empty: the option takes the value.
std::string wish(const OptionRow& row, const Value& value) {
    if (value.is(ValueKind::Unknown))
        return "";
    if (row.kind == Kind::Tuple3)
        return are_repetitions(value) ? "" : "a warm-up of 0 runs or more, and a number and a repeat of 1 or more";
    if (row.kind != Kind::Str)
        return "";
    const std::string& text = value.as_str();
    if (row.name == "execution_mode")
        return text == "interpreter" || text == "compilation" ? "" : "'interpreter' or 'compilation'";
    if (row.name == "parallel_k")
        return text == "disabled" || text == "default" || text == "search" || is_count(text)
                   ? ""
                   : "'disabled', 'default', 'search' or a number of parts";
    if (row.name == "cuda.arch")
        return text == "auto" || is_architecture(text) ? "" : "'auto' or an architecture such as 'sm_80'";
    if (row.name == "cpu.arch")
        return is_word(text, "-_.+") ? "" : "'auto' or the name of a processor";
    return "";
}

bool same(const Value& a, const Value& b) {
    if (a.kind() != b.kind())
        return false;
    return a.is(ValueKind::Str) ? a.as_str() == b.as_str() : a.as_int() == b.as_int();
}

void set(Evaluator& evaluator, const OptionRow& row, Value value, Span span) {
    if (row.name == "parallel_k" && value.is(ValueKind::Int))
        value = Value::str(std::to_string(value.as_int()));
    bool fits = value.is(ValueKind::Unknown) ||
                (row.kind == Kind::Bool && (value.is(ValueKind::Bool) || value.is(ValueKind::Int))) ||
                (row.kind == Kind::Int && value.is(ValueKind::Int)) ||
                (row.kind == Kind::Str && value.is(ValueKind::Str)) ||
                (row.kind == Kind::Tuple3 && value.is(ValueKind::Tuple) && value.items().size() == 3);
    if (!fits)
        fail(DiagId::WrongArgumentType, span, row.name, wanted(row.kind), row.name, type_name(value));
    if (row.kind == Kind::Bool && value.is(ValueKind::Int))
        value = Value::boolean(value.as_int() != 0);
    if (const std::string wished = wish(row, value); !wished.empty())
        fail(DiagId::BadValue, span, cat("the option '", row.name, "' takes ", wished));
    if (row.idle && !value.is(ValueKind::Unknown) && !same(value, row.otherwise()))
        without_effect(evaluator, span, row.name, row.idle);
    evaluator.impl().option_values.set(row.name, std::move(value));
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
            const std::vector<Value> usual = bench_default().items();
            set(evaluator, row,
                Value::tuple({Value::integer(a.integer(0, usual[0].as_int())),
                              Value::integer(a.integer(1, usual[1].as_int())),
                              Value::integer(a.integer(2, usual[2].as_int()))}),
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
        return boxed(setter(*row));
    for (const OptionRow& row : option_rows)
        if (row.name.starts_with(name + "."))
            return boxed(new_extension<Group>(name));
    return nullptr;
}

// The architecture that kernels are made for, as "sm_90"; that of tensors on `cuda` where none is asked for.
std::string cuda_arch(Evaluator& evaluator) {
    const Value asked = get(evaluator, *find_row("cuda.arch"));
    return asked.is(ValueKind::Str) && asked.as_str().starts_with("sm_") ? asked.as_str() : "sm_90";
}

Value get_arch(Evaluator& evaluator, const Arguments&, Span) {
    return Value::str(cuda_arch(evaluator));
}

Value get_arch_pair(Evaluator& evaluator, const Arguments&, Span) {
    const std::int64_t number = std::atoll(cuda_arch(evaluator).c_str() + 3);
    return Value::tuple({Value::integer(number / 10), Value::integer(number % 10)});
}

std::unique_ptr<Value> Group::attribute(Evaluator&, std::string_view name, Span) {
    if (m_prefix == "cuda" && name == "get_arch")
        return boxed(Value::native("get_arch", {}, get_arch));
    if (m_prefix == "cuda" && name == "get_arch_pair")
        return boxed(Value::native("get_arch_pair", {}, get_arch_pair));
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
class Saved : public WithMembers<Saved> {
public:
    std::string type_name() const override { return "OptionContext"; }
    std::unique_ptr<Value> enter(Evaluator& evaluator, Span) override {
        m_saved = evaluator.impl().option_values;
        return boxed(Value::extension(Ref<NativeObject>(this)));
    }
    void exit(Evaluator& evaluator, Span) override { evaluator.impl().option_values = m_saved; }
    static std::span<const Member<Saved>> members() {
        static constexpr Member<Saved> rows[] = {
            {"set_option",
             [](Saved&, Evaluator& evaluator, Args& args, Span span) { return set_option(evaluator, args, span); }}};
        return rows;
    }

private:
    NameTable m_saved;
};

std::string text_value(Evaluator& evaluator, std::string_view name) {
    const Value value = get(evaluator, *find_row(name));
    return value.is(ValueKind::Str) && value.as_str() != "auto" ? value.as_str() : "";
}
bool is_set(Evaluator& evaluator, std::string_view name, bool otherwise) {
    const Value value = get(evaluator, *find_row(name));
    return value.is(ValueKind::Bool) ? value.as_bool() : otherwise;
}

} // namespace

ir::ModuleOptions module_options(Evaluator& evaluator) {
    ir::ModuleOptions options;
    options.gpu = text_value(evaluator, "cuda.arch");
    options.processor = text_value(evaluator, "cpu.arch");
    options.flushes_subnormals = is_set(evaluator, "cuda.build.ftz", false);
    options.divides_approximately = !is_set(evaluator, "cuda.build.prec_div", true);
    return options;
}

bool prints_definitions(Evaluator& evaluator) {
    return is_set(evaluator, "debug_show_verbose_flow_graph", false);
}

Repetitions bench_repetitions(Evaluator& evaluator) {
    const Value value = get(evaluator, *find_row("bench_config"));
    const Value known = value.is(ValueKind::Tuple) ? value : bench_default();
    return {known.items()[0].as_int(), known.items()[1].as_int(), known.items()[2].as_int()};
}

void without_effect(Evaluator& evaluator, Span span, std::string_view name, std::string_view reason) {
    evaluator.sink().report(DiagId::OptionWithoutEffect, span, name, reason);
}

void make_hidet_option(Evaluator&, HostModule& module) {
    module.function("set_option", set_option);
    module.function("get_option", {"name"}, [](Evaluator& evaluator, const Arguments& a, Span) {
        const OptionRow* row = find_row(a.str(0));
        if (!row)
            unknown(a.str(0), a.span(0));
        return get(evaluator, *row);
    });
    module.function("context", {}, [](Evaluator&, const Arguments&, Span) { return new_extension<Saved>(); });
    for (const OptionRow& row : option_rows) {
        std::string first(row.name.substr(0, row.name.find('.')));
        if (!module.table.find(first))
            module.add(first, *option_value(first));
        if (first == row.name)
            module.function("get_" + first, [&row](Evaluator& evaluator, Args& args, Span span) {
                Arguments(args, span, cat("get_", row.name), {});
                return get(evaluator, row);
            });
    }
}

} // namespace hidet::lang
