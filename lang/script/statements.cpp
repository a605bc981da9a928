// SPDX-License-Identifier: Apache-2.0
#include "lang/host/objects.h"
#include "lang/script/ir_queries.h"
#include "lang/script/module.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

// The first line of a compound statement, all of any other.
Span header(const ast::Stmt& stmt) {
    Span span = stmt.span;
    if (const auto* s = ast::as<ast::If>(&stmt))
        span.end = s->condition->span.end;
    else if (const auto* s = ast::as<ast::While>(&stmt))
        span.end = s->condition->span.end;
    else if (const auto* s = ast::as<ast::For>(&stmt))
        span.end = s->iterable->span.end;
    else if (const auto* s = ast::as<ast::With>(&stmt); s && !s->items.empty())
        span.end = s->items.back().context->span.end;
    return span;
}

const char* keyword(const ast::Stmt& stmt) {
    switch (stmt.kind) {
    case ast::Kind::FunctionDef: return "nested 'def'";
    case ast::Kind::ClassDef: return "'class'";
    case ast::Kind::Try: return "'try'";
    case ast::Kind::Raise: return "'raise'";
    case ast::Kind::Del: return "'del'";
    case ast::Kind::Import:
    case ast::Kind::ImportFrom: return "'import'";
    case ast::Kind::Match: return "'match'";
    default: return "this statement";
    }
}

} // namespace

bool ends_evaluation(const Diagnostic& diagnostic) {
    std::string_view id = info(diagnostic.id).id;
    return id == "too-many-steps" || id == "too-much-memory" || id == "too-many-nodes" || id == "cancelled";
}

void ScriptValues::unwind(std::size_t scopes, std::size_t loops) {
    while (m_env->depth() > scopes)
        m_env->pop();
    m_loops.resize(loops);
}

bool ScriptValues::tried(const Span& span, const std::function<void()>& f) {
    try {
        f();
        return true;
    } catch (const DiagnosticError& error) {
        if (ends_evaluation(error.diagnostic))
            throw;
        m_eval.charge_steps(cost::exception, span);
        report(error.diagnostic);
    } catch (const UnknownValue&) {
        m_eval.charge_steps(cost::unknown, span);
        m_failed = true;
    }
    return false;
}

bool ScriptValues::guarded(const std::function<void()>& f) {
    std::size_t scopes = m_env->depth(), loops = m_loops.size();
    try {
        if (tried(m_statement_span, f))
            return true;
    } catch (const ir::TypeError& error) {
        report(Diagnostic::make(DiagId::ScriptTypeMismatch, m_statement_span, error.what()));
    } catch (const InternalError& error) {
        if (!is_too_deep(error))
            throw;
        report(Diagnostic::make(DiagId::ScriptTooDeep, m_statement_span));
    }
    m_failed = true;
    unwind(scopes, loops);
    return false;
}

// The word that ends a block, if the statement is one that does.
static const char* exit_word(const ast::Stmt& stmt) {
    switch (stmt.kind) {
    case ast::Kind::Return: return "return";
    case ast::Kind::Break: return "break";
    case ast::Kind::Continue: return "continue";
    default: return nullptr;
    }
}

void Translator::warn_of_unreachable(ast::Block stmts) {
    for (std::size_t i = 1; i < stmts.size(); ++i)
        if (const char* word = exit_word(*stmts[i - 1]); word && stmts[i]->kind != ast::Kind::Pass)
            return report(Diagnostic::make(DiagId::ScriptUnreachable, header(*stmts[i]), word));
}

Translator::Flow Translator::block(ast::Block stmts) {
    warn_of_unreachable(stmts);
    for (const ast::Stmt* stmt : stmts)
        if (Flow flow = statement(*stmt); flow != Flow::Next)
            return flow;
    return Flow::Next;
}

Translator::Flow Translator::statement(const ast::Stmt& stmt) {
    Span outer = m_statement_span;
    m_statement_span = header(stmt);
    m_eval.charge_steps(cost::statement, m_statement_span);
    Flow flow = Flow::Next;
    if (!guarded([&] { flow = dispatch(stmt); }))
        poison(stmt);
    m_statement_span = outer;
    return flow;
}

Translator::Flow Translator::dispatch(const ast::Stmt& stmt) {
    switch (stmt.kind) {
    case ast::Kind::ExprStmt: expression_statement(ast::to<ast::ExprStmt>(stmt)); break;
    case ast::Kind::Assign: assign_statement(ast::to<ast::Assign>(stmt)); break;
    case ast::Kind::AugAssign: augmented_assignment(ast::to<ast::AugAssign>(stmt)); break;
    case ast::Kind::AnnAssign: annotated_assignment(ast::to<ast::AnnAssign>(stmt)); break;
    case ast::Kind::If: return if_statement(ast::to<ast::If>(stmt));
    case ast::Kind::For: return for_statement(ast::to<ast::For>(stmt));
    case ast::Kind::While: while_statement(ast::to<ast::While>(stmt)); break;
    case ast::Kind::Return: return_statement(ast::to<ast::Return>(stmt)); break;
    case ast::Kind::Break: return jump_statement(stmt, true);
    case ast::Kind::Continue: return jump_statement(stmt, false);
    case ast::Kind::Assert: assert_statement(ast::to<ast::Assert>(stmt)); break;
    case ast::Kind::With: with_statement(ast::to<ast::With>(stmt)); break;
    case ast::Kind::ErrorStmt: m_failed = true; break;
    case ast::Kind::Pass:
    case ast::Kind::Global:
    case ast::Kind::Nonlocal: break;
    default: unsupported(stmt);
    }
    return Flow::Next;
}

void Translator::unsupported(const ast::Stmt& stmt) {
    Span span = stmt.span;
    if (ast::as<ast::FunctionDef>(&stmt))
        span.end = span.begin + 3;
    else if (ast::as<ast::ClassDef>(&stmt))
        span.end = span.begin + 5;
    else if (const auto* attempt = ast::as<ast::Try>(&stmt))
        span.end = attempt->span.begin + 3;
    fail(DiagId::ScriptUnsupported, span, keyword(stmt));
}

void Translator::poison(const ast::Stmt& stmt) {
    NameCounts names;
    if (const auto* s = ast::as<ast::Assign>(&stmt))
        for (const ast::Expr* target : s->targets)
            count_target(*target, 1, names);
    else if (const auto* s = ast::as<ast::AugAssign>(&stmt))
        count_target(*s->target, 1, names);
    else if (const auto* s = ast::as<ast::AnnAssign>(&stmt))
        count_target(*s->target, 1, names);
    else if (const auto* s = ast::as<ast::FunctionDef>(&stmt))
        names[s->name.text] = 1;
    else if (const auto* s = ast::as<ast::ClassDef>(&stmt))
        names[s->name.text] = 1;
    else if (const auto* s = ast::as<ast::Import>(&stmt))
        for (const ast::ImportName& name : s->names)
            names[name.as.text.empty() ? name.name.text.substr(0, name.name.text.find('.')) : name.as.text] = 1;
    else if (const auto* s = ast::as<ast::ImportFrom>(&stmt))
        for (const ast::ImportName& name : s->names)
            names[name.as.text.empty() ? name.name.text : name.as.text] = 1;
    else { // what a compound statement would have bound in its blocks
        auto* itself = const_cast<ast::Stmt*>(&stmt);
        names = assigned_names(ast::Block(&itself, 1));
    }
    for (const auto& [name, count] : names)
        if (!m_env->local(name))
            m_env->declare(name, Binding{Value::unknown(), stmt.span, false, false, nullptr});
}

void Translator::expression_statement(const ast::ExprStmt& stmt) {
    const auto* call = ast::as<ast::Call>(stmt.value);
    const auto* callee = call ? ast::as<ast::Name>(call->callee) : nullptr;
    if (callee && callee->id == "print" && !m_env->local("print"))
        throw DiagnosticError(
            Diagnostic::make(DiagId::ScriptPrint, callee->span).fix(callee->span, "printf", "replace by 'printf'"));
    Value value = eval_whole(*stmt.value);
    Span span = stmt.value->span;
    bool acts = false;
    switch (value.kind()) {
    case ValueKind::Unknown: m_failed = true; return;
    case ValueKind::Str: return; // a docstring
    case ValueKind::Stmt: emit(value.as_stmt()); return;
    case ValueKind::Expr:
        acts = ir::as<ir::VoidType>(value.as_expr()->type) || has_effect(value.as_expr());
        if (acts)
            emit(ir::make_evaluate(value.as_expr()));
        if (!acts || ast::as<ast::Compare>(stmt.value)) // f(x) == 1: an assignment was meant
            report(Diagnostic::make(DiagId::ScriptNoEffect, span));
        return;
    case ValueKind::None:
        if (call && in_dynamic_block())
            report(Diagnostic::make(DiagId::ScriptHostCallInBlock, span, m_env->top().what));
        return;
    case ValueKind::Native:
    case ValueKind::Function:
    case ValueKind::BoundMethod:
    case ValueKind::ScriptFunction: fail(DiagId::ScriptNotCalled, span, m_eval.sources().text(span));
    case ValueKind::Ellipsis: return;
    default:
        if (auto* declaration = value.extension<Declaration>())
            fail(DiagId::ScriptUnnamedDeclaration, span, declaration->maker);
        if (!m_has_called)
            report(Diagnostic::make(DiagId::ScriptNoEffect, span));
    }
}

ir::StmtRef Translator::scoped(std::string_view what, Span span, ast::Block body) {
    m_env->push(what, span);
    block(body);
    ir::StmtRef out = ir::make_seq(m_env->pop());
    ir::set_origin(out, {span, 0});
    return out;
}

Translator::Flow Translator::if_statement(const ast::If& stmt) {
    Value value = Value::unknown();
    std::optional<bool> known;
    ir::ExprRef test;
    Span span = stmt.condition->span;
    bool fine = guarded([&] {
        value = eval(*stmt.condition);
        known = static_condition(value, span);
        if (!known)
            test = condition(value, span, "'if'");
    });
    if (known)
        return block(*known ? stmt.body : stmt.else_body);
    Span where = m_statement_span;
    ir::StmtRef then_body = scoped("'if'", where, stmt.body);
    ir::StmtRef else_body = stmt.else_body.empty() ? nullptr : scoped("'else'", where, stmt.else_body);
    if (fine)
        emit(ir::make_if(test, then_body, else_body));
    return Flow::Next;
}

void Translator::while_statement(const ast::While& stmt) {
    Span span = stmt.condition->span;
    ir::ExprRef test;
    std::optional<bool> known;
    bool fine = guarded([&] {
        ExpressionPart part(m_operations, PartRuns::Perhaps);
        Value value = part.close(eval(*stmt.condition), span);
        known = static_condition(value, span);
        test = known ? ir::bool_constant(*known) : condition(value, span, "'while'");
    });
    if (known && !*known) {
        block(stmt.else_body);
        return;
    }
    Loop loop = open_loop(stmt.body, stmt.else_body, false);
    m_env->push("'while'", m_statement_span);
    loop.depth = m_env->depth();
    m_loops.push_back(loop);
    block(stmt.body);
    m_loops.pop_back();
    ir::StmtRef body = ir::make_seq(m_env->pop());
    if (fine)
        emit(ir::make_while(test, body));
    close_loop(loop, stmt.else_body);
}

void Translator::return_results(const Value& value, Span span) {
    const std::vector<Value> values = is_sequence(value) ? value.items() : std::vector<Value>{value};
    if (values.size() != m_results.size())
        fail(DiagId::ScriptResultCount, span, m_def.name.text, m_results.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!can_be_expr(values[i]) || values[i].is(ValueKind::Str))
            fail(DiagId::ScriptBadReturn, span, describe(values[i]));
        const ir::TypeRef& type = ir::as<ir::ReferenceType>(m_results[i]->type)->base;
        emit(ir::make_assign(m_results[i], convert_to(to_expr(values[i], span), type, span, m_eval.sink())));
    }
    emit(ir::make_return());
}

void Translator::return_statement(const ast::Return& stmt) {
    bool is_void = ir::as<ir::VoidType>(m_return_type) != nullptr;
    if (!stmt.value) {
        if (!m_results.empty())
            fail(DiagId::ScriptResultCount, stmt.span, m_def.name.text, m_results.size(), "none");
        if (!is_void)
            fail(DiagId::ScriptReturnWithoutValue, stmt.span, m_def.name.text, type_text(m_return_type));
        emit(ir::make_return());
        return;
    }
    Span span = stmt.value->span;
    Value value = eval_whole(*stmt.value);
    want_known(value);
    if (!m_results.empty())
        return return_results(value, span);
    if (value.is(ValueKind::None) && is_void) {
        emit(ir::make_return());
        return;
    }
    if (is_void && m_failed && !m_returns_nothing)
        return; // the annotation was wrong
    if (!can_be_expr(value) || value.is(ValueKind::Str))
        fail(DiagId::ScriptBadReturn, span, describe(value));
    ir::ExprRef expr = to_expr(value, span);
    if (is_void)
        fail(DiagId::ScriptReturnUndeclared, span, m_def.name.text, type_text(expr->type));
    try {
        emit(ir::make_return(convert_to(expr, m_return_type, span, m_eval.sink())));
    } catch (DiagnosticError& error) {
        error.diagnostic.message += cat(", which '", m_def.name.text, "' returns");
        throw;
    }
}

void Translator::assert_statement(const ast::Assert& stmt) {
    Value value = eval(*stmt.condition);
    std::string message;
    if (stmt.message) {
        Value text = eval(*stmt.message);
        if (!text.is(ValueKind::Str))
            fail(DiagId::ScriptNeedsText, stmt.message->span, "the message of an assert", describe(text));
        message = kernel_text(text.as_str(), stmt.message->span);
    }
    auto known = static_condition(value, stmt.condition->span);
    if (known && *known)
        return;
    ir::ExprRef test = known ? ir::bool_constant(false) : condition(value, stmt.condition->span, "'assert'");
    ir::StmtRef assertion = ir::make_assert(test, message);
    emit(assertion);
}

void Translator::with_statement(const ast::With& stmt) {
    if (stmt.items.size() != 1)
        fail(DiagId::ScriptWithItems, stmt.items[1].context->span);
    const ast::WithItem& item = stmt.items[0];
    Value value = eval(*item.context);
    want_known(value);
    auto* guard = value.extension<GuardContext>();
    if (!guard)
        fail(DiagId::ScriptBadContext, item.context->span, describe(value));
    const auto* target = ast::as<ast::Name>(item.target);
    if (item.target && !target)
        fail(DiagId::ScriptInvalidTarget, item.target->span);
    m_env->push("'with'", m_statement_span);
    if (target)
        declare_value(target->id, target->span, guard->bound);
    block(stmt.body);
    ir::StmtRef body = ir::make_seq(m_env->pop());
    emit(ir::make_if(guard->condition, body));
}

Translator::Flow Translator::jump_statement(const ast::Stmt& stmt, bool is_break) {
    const char* word = is_break ? "break" : "continue";
    if (m_loops.empty()) // the parser has complained
        return Flow::Next;
    const Loop& loop = m_loops.back();
    if (loop.is_meta) {
        if (loop.depth != m_env->depth())
            fail(DiagId::ScriptMetaJump, stmt.span, word);
        return is_break ? Flow::Break : Flow::Continue;
    }
    if (is_break && loop.broken)
        emit(ir::make_assign(loop.broken, ir::bool_constant(true)));
    emit(is_break ? ir::make_break() : ir::make_continue());
    return Flow::Next;
}

// A loop with an else part, and a nest of loops, remember whether they were left by `break`.
ScriptValues::Loop Translator::open_loop(ast::Block body, ast::Block else_body, bool is_nest) {
    Loop loop{false, 0, nullptr};
    if ((else_body.empty() && !is_nest) || !has_break(body))
        return loop;
    loop.broken = var_at(m_statement_span, "broken", ir::data_type(ir::DType::Bool));
    emit(ir::make_declare(loop.broken, ir::bool_constant(false)));
    return loop;
}

void Translator::close_loop(const Loop& loop, ast::Block else_body) {
    if (else_body.empty())
        return;
    if (!loop.broken) {
        block(else_body);
        return;
    }
    ir::StmtRef body = scoped("'else'", m_statement_span, else_body);
    emit(ir::make_if(typed(m_statement_span, [&] { return ir::logical_not(loop.broken); }), body));
}

} // namespace hidet::lang
