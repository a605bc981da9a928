// SPDX-License-Identifier: Apache-2.0
// Python's data model over values, for a program in which they live on after the script: CPython's proxies (app/python). Each call
// may come from another thread than the last one, one at a time. Errors are DiagnosticError, RaisedError and UnknownValue; error_of()
// says what they are to Python.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/host/evaluator.h"

namespace hidet::lang {

// An error as CPython shows it.
struct PythonError {
    std::string type; // a class of Python's: "TypeError"
    std::string text; // with the lines of the place, where it has one
};

class DataModel {
public:
    // On the thread that calls. `site`: of what is called, where that is known.
    explicit DataModel(Evaluator& evaluator, Span site = {});

    Value import(std::string_view module);
    Value builtin(std::string_view name); // len, repr, iter, ...
    std::optional<Value> attribute(const Value& object, std::string_view name);
    void set_attribute(const Value& object, std::string_view name, const Value& value);
    std::vector<std::string> attribute_names(const Value& object); // without those that a module makes on demand
    Value call(const Value& callee, Args args);
    // Of a native function, as Arguments takes them: "x", "axis=", "*". Nothing: it looks at its arguments by itself.
    std::optional<std::vector<std::string>> parameters(const Value& callee);
    Value unary(ast::UnaryOp op, const Value& a);
    Value binary(ast::BinaryOp op, const Value& a, const Value& b);
    Value compare(ast::CompareOp op, const Value& a, const Value& b);
    Value item(const Value& object, const Value& index);
    void set_item(const Value& object, const Value& index, const Value& value);
    void delete_item(const Value& object, const Value& index);
    std::vector<Value> items(const Value& iterable);
    std::vector<std::pair<Value, Value>> entries(const Value& dict);
    Value enter(const Value& context);
    void leave(const Value& context, bool by_exception); // which goes on
    Value slice(Value start, Value stop, Value step);
    Value dict(const std::vector<std::pair<Value, Value>>& entries);
    // A class below another, with members that are made already; and an object of a class before its __init__().
    Value derived(std::string name, const Value& base, const std::vector<std::pair<std::string, Value>>& members);
    Value allocated(const Value& type);
    std::uint64_t hash(const Value& value);
    // A function under @hidet.script; the environment answers for the names of its surroundings.
    Value script(const ast::FunctionDef& def, Environment& environment);

    // Of the exception that is being handled, or of what was reported before it; rethrows what is none of the evaluator's.
    PythonError error_of(std::exception_ptr error);
    // Throws the first error that was reported and not thrown, with all of them as its text.
    void throw_reported();

private:
    Evaluator& m_evaluator;
    const Span m_site;
};

} // namespace hidet::lang
