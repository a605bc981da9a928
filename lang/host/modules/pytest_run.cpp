// SPDX-License-Identifier: Apache-2.0
// pytest.main(): the functions test_* and the classes Test* of the script, one case for each set of parameters.
#include <algorithm>

#include "lang/base/text.h"
#include "lang/host/arguments.h"
#include "lang/host/modules/pytest.h"
#include "lang/host/operators.h"

namespace hidet::lang {

namespace {

using Named = std::vector<std::pair<std::string, Value>>;

struct Case {
    std::string id; // "test_softmax[shape0-1]"
    Value function;
    Value owner; // the class of a method, or None
    Named values;
    std::vector<Value> marks;
    Span span;
};

enum class Ending { Passed, Failed, Skipped, XFailed };
constexpr const char* ending_names[] = {"passed", "failed", "skipped", "xfailed"};

std::vector<Value> marks_of(const NameTable& table) {
    const Value* marks = table.find(pytest_marks);
    if (!marks)
        return {};
    return marks->is(ValueKind::List) ? marks->items() : std::vector<Value>{*marks};
}

const PytestMark* find_mark(const std::vector<Value>& marks, std::string_view name) {
    for (const Value& mark : marks)
        if (const auto* found = mark.extension<PytestMark>(); found && found->name == name)
            return found;
    return nullptr;
}

std::vector<std::string> argument_names(Evaluator& evaluator, const Value& names, Span span) {
    std::vector<std::string> out;
    if (names.is(ValueKind::Str)) {
        for (const std::string& name : split(names.as_str(), ','))
            if (const std::string_view word = trimmed(name); !word.empty())
                out.emplace_back(word);
        return out;
    }
    for (const Value& name : evaluator.iterate(names, span))
        out.push_back(evaluator.str(name));
    return out;
}

// Numbers and texts stand for themselves, everything else is called after its parameter.
std::string id_of(Evaluator& evaluator, const Value& value, const std::string& name, std::size_t index) {
    if (value.is(ValueKind::Str))
        return value.as_str();
    if (value.is_number() || value.is(ValueKind::None))
        return evaluator.str(value);
    if (value.is(ValueKind::Class))
        return as_class(value).name;
    return cat(name, index);
}

std::string id_of_set(Evaluator& evaluator, const std::vector<Value>& values, const std::vector<std::string>& names,
                      std::size_t index) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < values.size(); ++i)
        parts.push_back(id_of(evaluator, values[i], names[i], index));
    return join(parts, "-");
}

// One mark multiplies the cases: those of the marks before it vary slower.
std::vector<Case> parametrized(Evaluator& evaluator, const std::vector<Case>& before, PytestMark& mark) {
    const Span span = before.empty() ? Span() : before[0].span;
    Arguments a(mark.args, span, "parametrize", {"argnames", "argvalues", "indirect=", "ids=", "scope="});
    const std::vector<std::string> names = argument_names(evaluator, a[0], a.span(0));
    std::vector<Value> ids;
    if (a.given(3) && (a[3].is(ValueKind::List) || a[3].is(ValueKind::Tuple)))
        ids = a[3].items();
    const std::vector<Value> sets = evaluator.iterate(a[1], a.span(1));
    std::vector<Case> out;
    for (const Case& outer : before)
        for (std::size_t i = 0; i < sets.size(); ++i) {
            Case made = outer;
            const auto* param = sets[i].extension<PytestParam>();
            std::vector<Value> values = param               ? param->values
                                        : names.size() == 1 ? std::vector<Value>{sets[i]}
                                                            : evaluator.iterate(sets[i], a.span(1));
            if (values.size() != names.size())
                fail(DiagId::BadValue, a.span(1),
                     cat("parametrize() names ", names.size(), " parameters, but set ", i, " has ", values.size(),
                         " values"));
            std::string id = param && !param->id.empty() ? param->id
                             : i < ids.size()            ? evaluator.str(ids[i])
                             : a.given(3) && ids.empty() && values.size() == 1 && !a[3].is(ValueKind::None)
                                 ? evaluator.str(evaluator.call(a[3], {values[0]}, a.span(3)))
                                 : id_of_set(evaluator, values, names, i);
            made.id += (made.id.empty() ? "" : "-") + id;
            for (std::size_t n = 0; n < names.size(); ++n)
                made.values.emplace_back(names[n], values[n]);
            if (param)
                made.marks.insert(made.marks.end(), param->marks.begin(), param->marks.end());
            out.push_back(std::move(made));
        }
    return out;
}

void add_cases(Evaluator& evaluator, HostModule& main, const std::string& name, const Value& function,
               const Value& owner, const std::vector<Value>& outer_marks, std::vector<Case>& out) {
    const FunctionObject& def = as_function(function);
    Case first{"", function, owner, {}, marks_of(def.attributes), def.def ? def.def->name.span : Span()};
    first.marks.insert(first.marks.end(), outer_marks.begin(), outer_marks.end());
    const std::vector<Value> generated = generated_marks(evaluator, main, function, first.span);
    first.marks.insert(first.marks.end(), generated.begin(), generated.end());
    std::vector<Case> cases{std::move(first)};
    const std::vector<Value> marks = cases[0].marks;
    for (const Value& mark : marks)
        if (auto* found = mark.extension<PytestMark>(); found && found->name == "parametrize")
            cases = parametrized(evaluator, cases, *found);
    for (Case& made : cases) {
        made.id = made.id.empty() ? name : cat(name, "[", made.id, "]");
        out.push_back(std::move(made));
    }
}

std::vector<Case> collect(Evaluator& evaluator, HostModule& main) {
    std::vector<Case> out;
    const std::vector<Value> of_module = marks_of(main.table);
    std::vector<std::pair<std::string, Value>> names;
    main.table.for_each([&](const std::string& name, const Value& value) { names.emplace_back(name, value); });
    for (const auto& [name, value] : names) {
        if (value.is(ValueKind::Function) && name.starts_with("test")) {
            add_cases(evaluator, main, name, value, Value(), of_module, out);
        } else if (value.is(ValueKind::Class) && name.starts_with("Test") && !as_class(value).is_builtin) {
            std::vector<Value> marks = marks_of(as_class(value).table);
            marks.insert(marks.end(), of_module.begin(), of_module.end());
            std::vector<std::pair<std::string, Value>> methods; // a copy: hooks run in between
            as_class(value).table.for_each(
                [&](const std::string& method, const Value& body) { methods.emplace_back(method, body); });
            for (const auto& [method, body] : methods)
                if (body.is(ValueKind::Function) && method.starts_with("test"))
                    add_cases(evaluator, main, cat(name, "::", method), body, value, marks, out);
        }
    }
    return out;
}

// What the command line of pytest chooses: FILE::name, -k TEXT, -k 'not TEXT'.
struct Choice {
    std::vector<std::string> ids;
    std::string word;
    bool takes(const std::string& id) const {
        const bool is_negative = word.starts_with("not ");
        const std::string wanted = is_negative ? word.substr(4) : word;
        if (!word.empty() && (id.find(wanted) == std::string::npos) != is_negative)
            return false;
        return ids.empty() || std::ranges::any_of(ids, [&](const std::string& chosen) {
                   return id == chosen || id.starts_with(chosen + "[") || id.starts_with(chosen + "::");
               });
    }
};

// "folder/file.py::name" names tests of that file, which has to be this script.
void choose(Choice& choice, const std::string& word, const std::string& file, Span span) {
    const std::size_t colons = word.find("::");
    const std::string path = word.substr(0, colons);
    auto last_part = [](std::string_view text) { return text.substr(text.rfind('/') + 1); };
    if (last_part(path) != last_part(file))
        fail(DiagId::RefusedFunction, span, "pytest.main", "only the tests of this script are run");
    if (colons != std::string::npos)
        choice.ids.push_back(word.substr(colons + 2));
}

Choice choice_of(Evaluator& evaluator, const Value& words, const std::string& file, Span span) {
    Choice choice;
    if (words.is(ValueKind::Str)) { // main(__file__)
        choose(choice, words.as_str(), file, span);
        return choice;
    }
    const std::vector<Value> items = words.is(ValueKind::None) ? std::vector<Value>() : evaluator.iterate(words, span);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string word = evaluator.str(items[i]);
        if (word == "-k" && i + 1 < items.size())
            choice.word = evaluator.str(items[++i]);
        else if (!word.starts_with("-"))
            choose(choice, word, file, span);
    }
    return choice;
}

class Runner {
public:
    Runner(Evaluator& evaluator, HostModule& main) : m_evaluator(evaluator), m_main(main) {}

    // Of one case; what it found is reported.
    Ending run(const Case& test) {
        Evaluator::Impl& impl = m_evaluator.impl();
        if (is_skipped(test))
            return Ending::Skipped;
        const bool may_fail = find_mark(test.marks, "xfail") != nullptr;
        const int depth = impl.call_depth, errors = m_evaluator.sink().error_count();
        const std::size_t open_frames = impl.frames.size();
        Ending ending = Ending::Passed;
        try {
            call(test);
        } catch (const UnknownValue&) { // of a preview
        } catch (const RaisedError& error) {
            ending = ending_of(error);
            if (ending == Ending::Failed && !may_fail) {
                error.exception->notes.push_back({test.span, cat("in the test '", test.id, "'")});
                impl.report(error);
            }
        } catch (DiagnosticError& error) {
            if (!Evaluator::Impl::can_be_caught(error.diagnostic))
                throw;
            ending = Ending::Failed;
            error.diagnostic.notes.push_back({test.span, cat("in the test '", test.id, "'")});
            if (!may_fail)
                impl.report(error);
        }
        impl.call_depth = depth;
        impl.frames.resize(open_frames);
        if (m_evaluator.sink().error_count() > errors) // a kernel that could not be translated
            ending = Ending::Failed;
        else if (may_fail && ending == Ending::Failed)
            ending = Ending::XFailed;
        return ending;
    }

private:
    static Ending ending_of(const RaisedError& error) {
        const std::string& name = error.exception->type->name;
        return name == "Skipped" ? Ending::Skipped : name == "XFailed" ? Ending::XFailed : Ending::Failed;
    }

    bool is_skipped(const Case& test) {
        if (find_mark(test.marks, "skip"))
            return true;
        for (const Value& mark : test.marks) {
            const auto* found = mark.extension<PytestMark>();
            if (!found || found->name != "skipif" || found->args.positional.empty())
                continue;
            const Value& condition = found->args.positional[0];
            if (!condition.is(ValueKind::Unknown) && m_evaluator.truth(condition, found->args.span_of(0, test.span)))
                return true;
        }
        return false;
    }

    void call(const Case& test) {
        Args args;
        if (test.owner.is(ValueKind::Class)) {
            args.positional.push_back(m_evaluator.call(test.owner, {}, test.span));
            args.spans.push_back(test.span);
        }
        args.keywords = arguments_of(as_function(test.function), test.values, args.positional.size(), 0);
        m_evaluator.call(test.function, args, test.span);
    }

    // The values of a case, and what fixtures give for the other parameters.
    Named arguments_of(const FunctionObject& function, const Named& values, std::size_t first, int depth) {
        Named out = values;
        for (std::size_t i = first; i < function.params.size(); ++i) {
            const ast::Param& param = function.params[i];
            const std::string name(param.name.text);
            const bool is_given = std::ranges::any_of(values, [&](const auto& value) { return value.first == name; });
            const bool has_default = !function.defaults[i].is(ValueKind::Unbound);
            if (!name.empty() && !is_given && !has_default)
                out.emplace_back(name, fixture_value(name, param.name.span, depth));
        }
        return out;
    }

    Value fixture_value(const std::string& name, Span span, int depth) {
        constexpr int deepest = 32;
        const Value* found = m_main.table.find(name);
        const Value function = found ? *found : Value(); // held: other fixtures run in between
        const bool is_fixture =
            function.is(ValueKind::Function) && as_function(function).attributes.find(pytest_fixture) != nullptr;
        if (!is_fixture || depth > deepest)
            fail(DiagId::BadValue, span, cat("no value is given for the parameter '", name, "' of this test"));
        Args args;
        args.keywords = arguments_of(as_function(function), {}, 0, depth + 1);
        return m_evaluator.call(function, args, span);
    }

    Evaluator& m_evaluator;
    HostModule& m_main;
};

std::string summary(const std::size_t (&counts)[std::size(ending_names)]) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::size(ending_names); ++i)
        if (counts[i] > 0)
            parts.push_back(cat(counts[i], " ", ending_names[i]));
    return parts.empty() ? "no tests" : join(parts, ", ");
}

} // namespace

Value run_tests(Evaluator& evaluator, const Arguments& a, Span) {
    HostModuleRef main = evaluator.impl().find_module("__main__");
    if (!main)
        return Value::unknown();
    const Value* file = main->table.find("__file__");
    const Choice choice =
        choice_of(evaluator, a.or_none(0), file && file->is(ValueKind::Str) ? file->as_str() : "", a.span(0));
    Runner runner(evaluator, *main);
    std::size_t counts[std::size(ending_names)] = {};
    std::size_t total = 0;
    for (const Case& test : collect(evaluator, *main)) {
        if (!choice.takes(test.id))
            continue;
        const auto ending = static_cast<std::size_t>(runner.run(test));
        ++counts[ending];
        ++total;
        if (!evaluator.in_preview())
            evaluator.print(cat(test.id, " ", ending_names[ending], "\n"));
    }
    if (evaluator.in_preview())
        return Value::unknown();
    evaluator.print(summary(counts) + "\n");
    constexpr std::int64_t no_tests = 5;
    return Value::integer(total == 0 ? no_tests : counts[static_cast<std::size_t>(Ending::Failed)] > 0 ? 1 : 0);
}

} // namespace hidet::lang
