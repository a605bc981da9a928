// SPDX-License-Identifier: Apache-2.0
// What the evaluator asks of lang/script whenever a value is IR. One implementation: lang/script/operations.cpp.
//
// The evaluator evaluates expressions of host code and of @hidet.script bodies alike; the difference is who resolves
// names (Environment) and that `and`, `or`, `not`, `if-else` on IR build IR inside a script and are errors outside.
#pragma once

#include <memory>
#include <span>

#include "lang/host/value.h"

namespace hidet::lang {

class Environment; // names -> values; see evaluator.h

enum class PartRuns { Once, Perhaps }; // `b` of `a and b`, a condition that a loop evaluates again: Perhaps

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
    // The script has ended. What it has defined and not built is recorded.
    virtual void finish() = 0;

    // Order of evaluation. IR is evaluated where it lands in a statement, Python's values when they are made: what a name
    // or a container is about to stand for, any number of times, is computed before it goes on, in this order.
    virtual void keep(std::span<Value> values, Span span) = 0;
    // The sides of a comparison whose right one the next comparison takes too: it is kept if it reads memory.
    virtual void keep_for_two(std::span<Value, 2> sides, Span span) = 0;
    // An expression statement of a host function: what has effects happens.
    virtual void run(const Value& value, Span span) = 0;
    // What is kept while a part of an expression is evaluated becomes part of its value. False: no script function is being
    // translated, there is nothing to close.
    virtual bool open_part(PartRuns runs) = 0;
    virtual Value close_part(const Value& value, Span span) = 0;
    virtual void drop_part() = 0;
};

// A part of an expression, open while it lives.
class ExpressionPart {
public:
    ExpressionPart(IrOperations& ir, PartRuns runs) : m_ir(ir), m_is_open(ir.open_part(runs)) {}
    ~ExpressionPart() {
        if (m_is_open)
            m_ir.drop_part();
    }
    ExpressionPart(const ExpressionPart&) = delete;
    ExpressionPart& operator=(const ExpressionPart&) = delete;
    bool is_open() const { return m_is_open; }
    Value close(Value value, Span span) {
        if (!m_is_open)
            return value;
        m_is_open = false;
        return m_ir.close_part(value, span);
    }

private:
    IrOperations& m_ir;
    bool m_is_open;
};

// Defined by lang/script; one per evaluator.
std::unique_ptr<IrOperations> make_ir_operations(Evaluator& evaluator);

// What `hidet.script` and its other names are bound to. The evaluator knows it above a def and calls define_script().
struct ScriptDecorator : NativeObject {
    std::string type_name() const override { return "function"; }
    std::string repr() const override { return "<function script>"; }
    // hidet.script(f), on a def of host code
    std::unique_ptr<Value> call(Evaluator& evaluator, Args& args, Span span) override;
};

} // namespace hidet::lang
