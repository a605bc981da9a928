// SPDX-License-Identifier: Apache-2.0
// The tests of a script: what its marks say, and how they are run.
#pragma once

#include <string>
#include <vector>

#include "lang/host/interpreter.h"

namespace hidet::lang {

// @pytest.mark.name(args...): what it decorates remembers it, the one next to the function first.
struct PytestMark final : NativeObject {
    PytestMark(std::string name, Args args, bool has_arguments)
        : name(std::move(name)), args(std::move(args)), has_arguments(has_arguments) {}
    std::string type_name() const override { return "MarkDecorator"; }
    std::string repr() const override { return "pytest.mark." + name; }
    std::unique_ptr<Value> call(Evaluator& evaluator, Args& given, Span span) override;
    void clear() override { args = {}; }

    std::string name;
    Args args;
    bool has_arguments;
};

// pytest.param(...): one set of values, with a name and marks of its own.
struct PytestParam final : NativeObject {
    PytestParam(std::vector<Value> values, std::string id, std::vector<Value> marks)
        : values(std::move(values)), id(std::move(id)), marks(std::move(marks)) {}
    std::string type_name() const override { return "ParameterSet"; }
    void clear() override { values.clear(), marks.clear(); }

    std::vector<Value> values;
    std::string id; // empty: made from the values
    std::vector<Value> marks;
};

inline constexpr std::string_view pytest_marks = "pytestmark"; // the attribute that holds a list of marks
inline constexpr std::string_view pytest_fixture = "_pytest_fixture";

// The marks that pytest_generate_tests of the script gives to a test.
std::vector<Value> generated_marks(Evaluator& evaluator, HostModule& main, const Value& function, Span span);
// Runs the tests of the script; each failure is reported where it happened. The exit code of pytest.
Value run_tests(Evaluator& evaluator, const Arguments& a, Span span);
// assert x == pytest.approx(y)
Value make_approx(Evaluator& evaluator, const Arguments& a, Span span);
// What pytest.skip(), fail() and xfail() raise: "Skipped", "Failed", "XFailed".
Ref<ClassObject> pytest_outcome(Evaluator& evaluator, std::string_view name);
[[noreturn]] void raise_outcome(Evaluator& evaluator, std::string_view name, std::string text, Span span);
// Whether the pattern of re.search() is found in the text; a diagnostic at the place for what is no plain pattern.
bool pattern_found(std::string_view pattern, std::string_view text, Span span);

} // namespace hidet::lang
