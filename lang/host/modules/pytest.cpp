// SPDX-License-Identifier: Apache-2.0
// pytest, as far as files of tests use it.
#include "lang/host/modules/pytest.h"

#include <algorithm>
#include <optional>

#include "lang/host/arguments.h"
#include "lang/host/members.h"
#include "lang/host/operators.h"
#include "lang/host/watching_context.h"

namespace hidet::lang {

namespace {

std::vector<Value> marks_with(const Value* before, const Value& mark) {
    std::vector<Value> marks;
    if (before && before->is(ValueKind::List))
        marks = before->items();
    marks.push_back(mark);
    return marks;
}

// Functions and classes remember their marks; everything else is a test for nobody.
void decorate(Evaluator& evaluator, const Value& target, const Value& mark) {
    if (target.is(ValueKind::Function)) {
        NameTable& attributes = as_function(target).attributes;
        attributes.set(pytest_marks, evaluator.new_list(marks_with(attributes.find(pytest_marks), mark)));
    } else if (target.is(ValueKind::Class) && !as_class(target).is_builtin) {
        NameTable& table = as_class(target).table;
        table.set(pytest_marks, evaluator.new_list(marks_with(table.find(pytest_marks), mark)));
    }
}

bool can_be_decorated(const Args& args) {
    if (args.positional.size() != 1 || !args.keywords.empty())
        return false;
    const Value& only = args.positional[0];
    return only.is(ValueKind::Function) || only.is(ValueKind::Class) || only.is(ValueKind::ScriptFunction);
}

struct Marks final : NativeObject {
    std::string type_name() const override { return "MarkGenerator"; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        return boxed(Value::extension(Ref<NativeObject>(new PytestMark(std::string(name), {}, false))));
    }
    std::vector<std::string> attributes() const override { return {"parametrize", "skip", "skipif", "xfail"}; }
};

// with pytest.raises(ValueError, match='...') as found: ...
class Raises final : public WithMembers<Raises, WatchingContext> {
public:
    Raises(Value types, std::optional<std::string> pattern, Span pattern_span)
        : m_types(std::move(types)), m_pattern(std::move(pattern)), m_pattern_span(pattern_span) {}
    std::string type_name() const override { return "ExceptionInfo"; }
    void clear() override { m_found = m_types = Value(); }

    static std::span<const Member<Raises>> members() {
        static constexpr Member<Raises> rows[] = {
            {"match",
             {"regexp"},
             [](Raises& self, Evaluator& evaluator, const Arguments& a, Span) {
                 self.check_pattern(evaluator, a.str(0), a.span(0));
                 return Value::boolean(true);
             }},
            {"type", [](Raises& self, Evaluator& evaluator,
                        Span) { return Value::object(ValueKind::Class, evaluator.impl().class_of(self.m_found)); }},
            {"value", [](const Raises& self) { return self.m_found; }},
        };
        return rows;
    }
    std::unique_ptr<Value> enter(Evaluator&, Span) override { return boxed(Value::extension(Ref<NativeObject>(this))); }
    bool leave(Evaluator& evaluator, const Value& exception, Span span) override {
        if (exception.is(ValueKind::None)) {
            if (!evaluator.in_preview()) // which calls no kernel
                raise_outcome(evaluator, "Failed", cat("DID NOT RAISE ", names()), span);
            return false;
        }
        if (!evaluator.impl().is_instance(exception, m_types, span))
            return false;
        m_found = exception;
        if (m_pattern)
            check_pattern(evaluator, *m_pattern, m_pattern_span);
        return true;
    }

private:
    std::string names() const {
        if (m_types.is(ValueKind::Class))
            return as_class(m_types).name;
        std::vector<std::string> all;
        for (const Value& type : m_types.items())
            all.push_back(type.is(ValueKind::Class) ? as_class(type).name : "one of several");
        return join(all, " or ");
    }
    void check_pattern(Evaluator& evaluator, const std::string& pattern, Span span) {
        auto* exception = dynamic_cast<ExceptionObject*>(m_found.object());
        std::string text = exception ? evaluator.impl().exception_text(*exception) : evaluator.str(m_found);
        if (!pattern_found(pattern, text, span))
            fail(DiagId::AssertionFailed, span, cat(": '", pattern, "' is not found in '", text, "'"));
    }

    Value m_types;
    std::optional<std::string> m_pattern;
    Span m_pattern_span;
    Value m_found;
};

bool are_exceptions(Evaluator& evaluator, const Value& types, Span span) {
    evaluator.impl().check_stack(span);
    evaluator.charge_steps(1, span);
    const auto are_too = [&](const Value& type) { return are_exceptions(evaluator, type, span); };
    if (types.is(ValueKind::Tuple))
        return !types.items().empty() && std::ranges::all_of(types.items(), are_too);
    return types.is(ValueKind::Class) && as_class(types).is_exception;
}

// raises(Error), or raises(Error, function, arguments...), which calls it.
Value raises(Evaluator& evaluator, Args& args, Span span) {
    if (args.positional.size() > 1) {
        if (!are_exceptions(evaluator, args.positional[0], args.span_of(0, span)))
            fail(DiagId::WrongArgumentType, args.span_of(0, span), "raises", "an exception class or a tuple of them",
                 "expected_exception", type_name(args.positional[0]));
        Ref<Raises> context(new Raises(args.positional[0], std::nullopt, span));
        Args rest = behind_first(args, 2);
        try {
            evaluator.call(args.positional[1], rest, span);
        } catch (const RaisedError& error) {
            if (context->leave(evaluator, Value::object(ValueKind::Instance, error.exception), span))
                return Value::extension(context);
            throw;
        } catch (const DiagnosticError& error) {
            if (Evaluator::Impl::can_be_caught(error.diagnostic) &&
                context->leave(evaluator, Value::object(ValueKind::Instance, evaluator.impl().exception_of(error)),
                               span))
                return Value::extension(context);
            throw;
        }
        context->leave(evaluator, Value(), span);
        return Value();
    }
    Arguments a(args, span, "raises", {"expected_exception", "*", "match="});
    if (!are_exceptions(evaluator, a[0], a.span(0)))
        a.wrong_type(0, "an exception class or a tuple of them");
    std::optional<std::string> pattern;
    if (a.has(1))
        pattern = a.str(1);
    return new_extension<Raises>(a[0], pattern, a.span(1));
}

Value make_param(Evaluator& evaluator, const Arguments& a, Span) {
    std::vector<Value> marks;
    if (a.given(1) && a[1].extension<PytestMark>())
        marks.push_back(a[1]);
    else if (a.given(1))
        marks = evaluator.iterate(a[1], a.span(1));
    return new_extension<PytestParam>(a.rest(), a.str(0, ""), std::move(marks));
}

// @pytest.fixture, or @pytest.fixture(scope=...): a function whose result tests ask for by its name.
Value fixture(Evaluator&, Args& args, Span span) {
    auto mark = [](const Value& function) {
        if (function.is(ValueKind::Function))
            as_function(function).attributes.set(pytest_fixture, Value::boolean(true));
        return function;
    };
    Arguments a(args, span, "fixture", {"fixture_function=", "*", "scope=", "autouse=", "name="});
    if (a.given(0))
        return mark(a[0]);
    return Value::native("fixture", [mark](Evaluator&, Args& inner, Span at) {
        return mark(Arguments(inner, at, "fixture", {"fixture_function"})[0]);
    });
}

NativeFunction outcome(const char* function, const char* raised) {
    return [function, raised](Evaluator& evaluator, Args& args, Span span) -> Value {
        Arguments a(args, span, function, {"reason=", "pytrace=", "allow_module_level="});
        raise_outcome(evaluator, raised, a.str(0, ""), span);
    };
}

Value import_or_skip(Evaluator& evaluator, const Arguments& a, Span span) {
    try {
        return evaluator.import(a.str(0), a.span(0));
    } catch (const DiagnosticError& error) {
        raise_outcome(evaluator, "Skipped", error.diagnostic.message, span);
    }
}

} // namespace

std::unique_ptr<Value> PytestMark::call(Evaluator& evaluator, Args& given, Span span) {
    if (given.asks_signature)
        Arguments(given, span, name, {"*args", "**"});
    if ((has_arguments || name != "parametrize") && can_be_decorated(given)) {
        decorate(evaluator, given.positional[0], Value::extension(Ref<NativeObject>(this)));
        return boxed(given.positional[0]);
    }
    if (name == "parametrize")
        Arguments(given, span, "parametrize", {"argnames", "argvalues", "indirect=", "ids=", "scope="});
    return boxed(new_extension<PytestMark>(name, given, true));
}

Ref<ClassObject> pytest_outcome(Evaluator& evaluator, std::string_view name) {
    Ref<ClassObject>& type = evaluator.impl().native_classes[cat("pytest.", name)];
    if (!type) { // no `except Exception` takes them
        type = evaluator.impl().new_class(std::string(name), evaluator.impl().builtin_class("BaseException"));
        type->is_exception = true;
        type->construct = type->base->construct;
    }
    return type;
}

void raise_outcome(Evaluator& evaluator, std::string_view name, std::string text, Span span) {
    throw RaisedError{
        evaluator.impl().make_exception(pytest_outcome(evaluator, name), {Value::str(std::move(text))}, span)};
}

void make_pytest(Evaluator&, HostModule& module) {
    module.add("mark", new_extension<Marks>());
    module.function("main", {"args=", "plugins="}, run_tests);
    module.function("raises", raises);
    module.function("approx", {"expected", "rel=", "abs=", "nan_ok="}, make_approx);
    module.function("param", {"*values", "id=", "marks="}, make_param);
    module.function("fixture", fixture);
    module.function("skip", outcome("skip", "Skipped"));
    module.function("fail", outcome("fail", "Failed"));
    module.function("xfail", outcome("xfail", "XFailed"));
    module.function("importorskip", {"modname", "minversion=", "reason="}, import_or_skip);
}

} // namespace hidet::lang
