// SPDX-License-Identifier: Apache-2.0
// What the evaluator asks of lang/script whenever a value is IR. One implementation: lang/script/operations.cpp.
//
// The evaluator evaluates expressions of host code and of @hidet.script bodies alike; the difference is who resolves
// names (Environment) and that `and`, `or`, `not`, `if-else` on IR build IR inside a script and are errors outside.
#pragma once

#include <memory>

#include "lang/host/value.h"

namespace hidet::lang {

class Environment; // names -> values; see evaluator.h

class IrOperations {
public:
    virtual ~IrOperations() = default;
    // At least one operand is IR. Failures are DiagnosticErrors at the operands' spans.
    virtual Value unary(ast::UnaryOp op, const Value& a, Span span) = 0;
    virtual Value binary(ast::BinaryOp op, const Value& a, const Value& b, Span a_span, Span b_span) = 0;
    virtual Value compare(ast::CompareOp op, const Value& a, const Value& b, Span a_span, Span b_span) = 0;
    virtual Value logical(bool is_and, const Value& a, const Value& b, Span a_span, Span b_span) = 0;
    virtual Value select(const Value& condition, const Value& a, const Value& b, Span span) = 0;
    virtual Value attribute(const Value& object, std::string_view name, Span span) = 0;
    virtual Value subscript(const Value& object, const Value& index, Span object_span, Span index_span) = 0;
    // The callee is an IR value (a type used as a cast, a function variable) or a script function.
    virtual Value call(const Value& callee, Args& args, Span span) = 0;
    // A Python builtin or math function got an IR argument: min, max, abs, math.exp, ... Null: it has no IR form.
    virtual std::unique_ptr<Value> call_builtin(std::string_view name, Args& args, Span span) = 0;
    // @hidet.script above a def; `environment` is where the def stands.
    virtual Value define_script(const ast::FunctionDef& def, Environment& environment) = 0;
    virtual std::string repr(const Value& value) = 0;
};

// Defined by lang/script; one per evaluator.
std::unique_ptr<IrOperations> make_ir_operations(Evaluator& evaluator);

// What `hidet.script` and its other names are bound to. The evaluator knows it above a def and calls define_script().
class ScriptDecorator : public NativeObject {
public:
    std::string type_name() const override { return "function"; }
    std::string repr() const override { return "<function script>"; }
    // hidet.script(f), on a def of host code
    std::unique_ptr<Value> call(Evaluator& evaluator, Args& args, Span span) override;
};

} // namespace hidet::lang
