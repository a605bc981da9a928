// SPDX-License-Identifier: Apache-2.0
// When what is evaluated.
//
// The evaluator has IR for a value long before the statement that evaluates it. Within one expression that is no matter: IR
// evaluates its operands from left to right, as Python does. It matters where a value gets a name, or is used twice: an
// argument of a host function, the middle of `a < b < c`, an index of a layout. There it is kept in a variable, once, if it
// has effects, or another value that is kept with it could change it. Variables that are kept while a part of an expression
// is evaluated (a call, the right side of `and`) become let expressions around that part, so that they are evaluated after
// what stands to its left, and only if the part is.
#include <algorithm>

#include "lang/host/objects.h"
#include "lang/script/ir_queries.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

constexpr int deepest_container = 3; // lists of lists of values

bool is_void(const ir::ExprRef& expr) {
    return ir::as<ir::VoidType>(expr->type) != nullptr;
}

bool acts(const Value& value, int depth) {
    if (value.is(ValueKind::Expr))
        return has_effect(value.as_expr());
    return depth > 0 && is_sequence(value) &&
           std::ranges::any_of(value.items(), [&](const Value& item) { return acts(item, depth - 1); });
}

} // namespace

void ScriptValues::define(const ir::VarRef& var, const ir::ExprRef& value) {
    m_fixed.push_back(var);
    if (m_parts.empty())
        emit(ir::make_let_stmt(var, value));
    else
        m_parts.back().kept.emplace_back(var, value);
}

// What was kept so far happens now.
void ScriptValues::emit_kept() {
    for (Part& part : m_parts) {
        for (const auto& [var, value] : part.kept)
            emit(ir::make_let_stmt(var, value));
        part.kept.clear();
    }
}

bool ScriptValues::affects(const ir::ExprRef& effect, const ir::ExprRef& value) const {
    if (!has_effect(effect) || is_fixed(value))
        return false;
    return reads_memory(value) || any_node(value, [&](const ir::Node& node) {
               return node.kind == ir::Kind::Var && mentions(effect, static_cast<const ir::Var&>(node));
           });
}

bool ScriptValues::is_affected(std::span<const Value> values, std::size_t i) const {
    if (!values[i].is(ValueKind::Expr) || is_alias(values[i].as_expr()))
        return false;
    for (std::size_t other = 0; other < values.size(); ++other)
        if (other != i && values[other].is(ValueKind::Expr) && affects(values[other].as_expr(), values[i].as_expr()))
            return true;
    return false;
}

Value ScriptValues::kept(const Value& value, Span span, int depth) {
    if (!value.is(ValueKind::Expr)) {
        std::vector<Value> items = value.items();
        for (Value& item : items)
            if (acts(item, depth - 1))
                item = kept(item, span, depth - 1);
        if (value.is(ValueKind::Tuple))
            return Value::tuple(std::move(items));
        static_cast<SequenceObject*>(value.object())->items = std::move(items); // the same list, as others may know it
        return value;
    }
    const ir::ExprRef& expr = value.as_expr();
    if (is_void(expr)) {
        run(value, span);
        return Value();
    }
    if (is_alias(expr))
        return freeze_slice(value, "kept");
    return Value::expr(freeze_as(expr, "kept", span));
}

void ScriptValues::keep(std::span<Value> values, Span span) {
    auto is_act = [](const Value& value) { return acts(value, deepest_container); };
    if (std::ranges::none_of(values, is_act))
        return;
    const std::vector<Value> before(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (is_act(values[i]) || is_affected(before, i))
            values[i] = kept(values[i], span, deepest_container);
}

void ScriptValues::keep_for_two(std::span<Value, 2> sides, Span span) {
    const Value before[] = {sides[0], sides[1]};
    const Value& right = before[1];
    bool is_kept = right.is(ValueKind::Expr) && !is_alias(right.as_expr()) && reads_memory(right.as_expr());
    if (!is_kept)
        return;
    if (acts(before[0], 0) || is_affected(before, 0))
        sides[0] = kept(sides[0], span, 0);
    sides[1] = kept(right, span, 0);
}

void ScriptValues::run(const Value& value, Span span) {
    bool is_stmt = value.is(ValueKind::Stmt);
    if (!is_stmt && !(value.is(ValueKind::Expr) && has_effect(value.as_expr())))
        return;
    for (const Part& part : m_parts)
        if (part.runs == PartRuns::Perhaps)
            fail(DiagId::ScriptUnsupported, span, "a statement in a part of an expression that may not run");
    emit_kept();
    emit(is_stmt ? value.as_stmt() : ir::make_evaluate(value.as_expr()));
}

Value ScriptValues::close_part(const Value& value, Span span) {
    Part part = std::move(m_parts.back());
    m_parts.pop_back();
    if (part.kept.empty() || value.is(ValueKind::Unknown))
        return value;
    bool is_perhaps = part.runs == PartRuns::Perhaps;
    bool is_value = value.is(ValueKind::Expr) && !is_alias(value.as_expr()) && !is_void(value.as_expr());
    if (is_value || (is_perhaps && value.is_number())) {
        ir::ExprRef expr = to_expr(value, span);
        for (std::size_t i = part.kept.size(); i-- > 0;)
            expr = typed(span, [&] { return ir::make_let(part.kept[i].first, part.kept[i].second, expr); });
        return Value::expr(expr);
    }
    if (is_perhaps)
        fail(DiagId::ScriptNotAValue, span, describe(value));
    for (const auto& [var, kept_value] : part.kept)
        define(var, kept_value);
    return value;
}

// ---- as the evaluator asks ----------------------------------------------------------------------------------------

void Operations::keep(std::span<Value> values, Span span) {
    if (translator())
        translator()->keep(values, span);
}

void Operations::keep_for_two(std::span<Value, 2> sides, Span span) {
    if (translator())
        translator()->keep_for_two(sides, span);
}

void Operations::run(const Value& value, Span span) {
    if (translator())
        translator()->run(value, span);
}

bool Operations::open_part(PartRuns runs) {
    if (translator())
        translator()->open_part(runs);
    return translator() != nullptr;
}

Value Operations::close_part(const Value& value, Span span) {
    return translator()->close_part(value, span);
}

void Operations::drop_part() {
    translator()->drop_part();
}

} // namespace hidet::lang
