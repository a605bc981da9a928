// SPDX-License-Identifier: Apache-2.0
#include "lang/script/translator.h"

#include <algorithm>

#include "compiler/ir/structure.h"
#include "lang/base/transformed.h"
#include "lang/host/value_observer.h"
#include "lang/script/ir_queries.h"
#include "lang/script/module.h"
#include "lang/script/operations.h"

namespace hidet::lang {

Translator::Translator(Evaluator& evaluator, Operations& operations, const ast::FunctionDef& def, Environment& outer)
    : ScriptAssignments(evaluator, operations, def, outer) {
    m_env = Ref<ScriptEnvironment>(new ScriptEnvironment(Ref<Environment>(&outer), std::string(def.name.text), *this));
}

Ref<TranslatedFunction> Translator::translate() {
    m_statement_span = m_def.name.span;
    if (m_def.is_async)
        report(Diagnostic::make(DiagId::ScriptUnsupported, m_def.name.span, "async def"));
    parameters();
    return_type();
    block(m_def.body);
    try {
        return finish(std::move(m_env->top().stmts));
    } catch (const InternalError& error) {
        if (!is_too_deep(error))
            throw;
        report(Diagnostic::make(DiagId::ScriptTooDeep, m_def.name.span));
        Ref<TranslatedFunction> failed(new TranslatedFunction);
        failed->name = m_def.name.text;
        failed->span = m_def.name.span;
        return failed;
    }
}

void ScriptValues::observe(const Binding& binding) {
    if (ValueObserver* observer = m_eval.options().observer)
        observer->bound(binding.span, binding.value);
}

void ScriptValues::report(Diagnostic diagnostic) {
    if (diagnostic.severity == Severity::Error)
        m_failed = true;
    if (!diagnostic.message.empty()) // what the parser could not read is reported
        m_eval.sink().report(std::move(diagnostic));
}

void ScriptValues::emit(ir::StmtRef stmt) {
    ir::set_origin(stmt, {m_statement_span, 0});
    bool is_block = ir::as<ir::ForStmt>(stmt) || ir::as<ir::ForMappingStmt>(stmt) || ir::as<ir::WhileStmt>(stmt) ||
                    ir::as<ir::IfStmt>(stmt) || ir::as<ir::SeqStmt>(stmt);
    m_eval.charge_nodes(is_block ? 1 : stmt->size, m_statement_span);
    m_env->top().stmts.push_back(std::move(stmt));
}

ir::ExprRef ScriptValues::condition(const Value& value, Span span, std::string_view what) {
    if (!can_be_expr(value) || value.is(ValueKind::Str))
        fail(DiagId::ScriptBadCondition, span, what, describe(value));
    ir::ExprRef expr = to_expr(value, span);
    if (ir::tensor_of(expr->type))
        fail(DiagId::ScriptBadCondition, span, what, describe(value));
    return typed(span, [&] { return ir::as_condition(expr); });
}

std::optional<bool> ScriptValues::static_condition(const Value& value, Span span) {
    want_known(value);
    if (value.is(ValueKind::Expr)) {
        auto number = ir::constant_number(value.as_expr());
        return number ? std::optional<bool>(*number != 0) : std::nullopt;
    }
    if (value.is_ir() || value.is(ValueKind::Extension))
        return true;
    return m_eval.truth(value, span);
}

void ScriptSignature::note_use(std::vector<Use>& uses, std::string name, Span span) {
    for (const Use& use : uses)
        if (use.name == name)
            return;
    uses.push_back({std::move(name), span});
}

void ScriptSignature::use_function(const Ref<TranslatedFunction>& callee, Span span) {
    if (ScriptModule* module = m_operations.module(); module && !module->import(callee))
        fail(DiagId::ScriptAmbiguousFunction, span, callee->name);
    for (const auto& [known, at] : m_callees) {
        if (known == callee)
            return;
        if (known->name == callee->name)
            fail(DiagId::ScriptAmbiguousFunction, span, callee->name);
    }
    m_callees.emplace_back(callee, span);
}

void ScriptSignature::use_extern(const ir::VarRef& function) {
    if (std::ranges::find(m_externs, function) == m_externs.end())
        m_externs.push_back(function);
}

void ScriptValues::take_address(const ir::ExprRef& place) {
    if (const auto* var = ir::as<ir::Var>(place))
        m_known.erase(var);
}

ir::ExprRef ScriptValues::fold_known(const ir::ExprRef& expr) const {
    if (!expr)
        return expr;
    if (const auto* var = ir::as<ir::Var>(expr)) {
        auto known = m_known.find(var);
        return known == m_known.end() ? expr : known->second;
    }
    if (const auto* binary = ir::as<ir::Binary>(expr)) {
        ir::ExprRef a = fold_known(binary->a), b = fold_known(binary->b);
        if (a == binary->a && b == binary->b)
            return expr;
        return typed(expr->origin.span, [&] { return ir::binary(binary->op, a, b); });
    }
    if (const auto* conversion = ir::as<ir::Cast>(expr)) {
        ir::ExprRef a = fold_known(conversion->a);
        return a == conversion->a ? expr : typed(expr->origin.span, [&] { return ir::cast_to(a, expr->type); });
    }
    return expr;
}

ir::ExprVec ScriptValues::fold_known(const ir::ExprVec& exprs) const {
    return transformed(exprs, [&](const ir::ExprRef& expr) { return fold_known(expr); });
}

ir::ExprRef ScriptValues::freeze(const ir::ExprRef& expr, std::string_view name) {
    if (!expr || is_fixed(expr))
        return expr;
    ir::VarRef var = var_at(m_statement_span, std::string(name), expr->type);
    define(var, expr);
    return var;
}

// Nothing that can run between now and a later use changes the value.
bool ScriptValues::is_fixed(const ir::ExprRef& expr) const {
    if (const auto* var = ir::as<ir::Var>(expr))
        return m_known.contains(var) ||
               std::ranges::any_of(m_fixed, [&](const ir::VarRef& fixed) { return fixed.get() == var; });
    if (ir::as<ir::Constant>(expr) || ir::as<ir::BuiltinVar>(expr) || ir::as<ir::SymbolVar>(expr))
        return true;
    if (const auto* binary = ir::as<ir::Binary>(expr))
        return is_fixed(binary->a) && is_fixed(binary->b);
    if (const auto* conversion = ir::as<ir::Cast>(expr))
        return is_fixed(conversion->a);
    return false;
}

void Translator::explain_missing(std::string_view name, Span span) {
    if (const auto* lost = m_env->lost(name))
        throw DiagnosticError(
            Diagnostic::make(DiagId::ScriptOnlyInBlock, span, name, lost->what).note(lost->span, "it is defined here"));
    if (m_assigned.contains(name))
        fail(DiagId::ScriptUsedBeforeAssigned, span, name);
}

} // namespace hidet::lang
