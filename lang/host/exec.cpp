// SPDX-License-Identifier: Apache-2.0
// Statements.
#include <algorithm>
#include <new>

#include "lang/ast/walk.h"
#include "lang/base/check.h"
#include "lang/base/out_of_memory.h"
#include "lang/host/graph_language.h"
#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/operators.h"
#include "lang/host/value_observer.h"
#include "lang/host/watching_context.h"

namespace hidet::lang {

using ast::Kind;

void Evaluator::Impl::run_module(const ast::Module& module) {
    if (module.arena)
        arenas.push_back(module.arena);
    HostModuleRef main(new HostModule("__main__"));
    track(*main);
    main->add("__name__", Value::str(options.graphs ? options.graphs->module_name() : "__main__"));
    main->add("__file__", Value::str(module.file ? sources.file(module.file).name() : ""));
    main->add("__doc__", Value());
    modules.emplace("__main__", main);
    Ref<Scope> scope(new Scope(Scope::What::Module, builtin_scope, main, main->table));
    track(*scope);
    try {
        exec_top_level(module.body, *scope);
        if (self.in_preview())
            run_studio_comments(module, *scope);
        result.completed = result.completed && !module.had_errors;
    } catch (const DiagnosticError& error) { // a budget, or cancelled
        report(error);
        result.completed = false;
    } catch (const MeterStop&) {
        throw;
    } catch (const std::bad_alloc& error) { // of a machine that has less than the budget
        if (!self.in_preview())
            throw;
        const auto* known = dynamic_cast<const OutOfMemory*>(&error);
        sink.report((known ? *known : OutOfMemory("", current)).diagnostic("evaluating the script"));
        result.completed = false;
    }
}

// Run mode ends at the first error as Python does, or where a function that did not translate is built; preview goes on.
void Evaluator::Impl::exec_top_level(ast::Block block, Scope& scope) {
    Frame frame;
    frames.push_back(&frame);
    struct Pop {
        std::vector<Frame*>& frames;
        ~Pop() { frames.pop_back(); }
    } pop{frames};
    result.completed = true;
    for (const ast::Stmt* statement : block) {
        bool failed = false;
        int errors = sink.error_count() - translation_errors;
        try {
            exec(*statement, scope, frame); // a misplaced return or break was reported by the parser
        } catch (const UnknownValue&) {
            poison(*statement, scope);
        } catch (const RaisedError& error) {
            if (error.exception->type->name == "SystemExit" && exit_is_clean(*error.exception)) {
                call_depth = 0;
                return;
            }
            report(error);
            failed = true;
        } catch (const DiagnosticError& error) {
            if (!can_be_caught(error.diagnostic))
                throw;
            report(error);
            failed = true;
        }
        bool reported = !self.in_preview() && sink.error_count() - translation_errors > errors;
        if (!failed && !reported)
            continue;
        call_depth = 0;
        result.completed = false;
        if (!self.in_preview())
            return;
        poison(*statement, scope);
    }
}

void Evaluator::Impl::poison(const ast::Stmt& statement, Scope& scope) {
    std::vector<ast::Ident> names;
    bound_names(statement, names);
    bool simple =
        statement.kind == Kind::Assign || statement.kind == Kind::AugAssign || statement.kind == Kind::AnnAssign;
    bool branch = statement.kind == Kind::If || statement.kind == Kind::For || statement.kind == Kind::While;
    for (const ast::Ident& name : names) {
        Value* own = scope.own_slot(name.text);
        bool is_bound = own ? !own->is(ValueKind::Unbound) : scope.find(name.text) != nullptr;
        if (simple || branch || !is_bound)
            scope.bind(name, Value::unknown());
    }
}

Flow Evaluator::Impl::exec_block(ast::Block block, Scope& scope, Frame& frame) {
    for (const ast::Stmt* statement : block) {
        Flow flow = exec(*statement, scope, frame);
        if (flow != Flow::Next)
            return flow;
    }
    return Flow::Next;
}

Flow Evaluator::Impl::exec(const ast::Stmt& node, Scope& scope, Frame& frame) {
    charge_steps(1, node.span);
    check_stack(node.span); // modules import modules
    try {
        return exec_statement(node, scope, frame);
    } catch (const MeterStop& stop) {
        throw stopped(stop, node.span);
    } catch (OutOfMemory& error) {
        if (!error.place.known())
            error.place = node.span;
        throw;
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("", node.span);
    } catch (const InternalError& error) {
        if (!is_too_deep(error))
            throw;
        fail(DiagId::ScriptTooDeep, node.span);
    }
}

Flow Evaluator::Impl::exec_statement(const ast::Stmt& node, Scope& scope, Frame& frame) {
    switch (node.kind) {
    case Kind::ExprStmt: {
        const ast::Expr& expr = *ast::to<ast::ExprStmt>(node).value;
        if (Value value = eval(expr, scope); value.is_ir())
            ir->run(value, expr.span);
        return Flow::Next;
    }
    case Kind::Assign: {
        const auto& statement = ast::to<ast::Assign>(node);
        Value value = eval(*statement.value, scope);
        ir->keep({&value, 1}, statement.value->span); // once, for all of them
        for (const ast::Expr* target : statement.targets)
            assign(*target, value, scope);
        return Flow::Next;
    }
    case Kind::AugAssign: exec_aug_assign(ast::to<ast::AugAssign>(node), scope); return Flow::Next;
    case Kind::AnnAssign: {
        const auto& statement = ast::to<ast::AnnAssign>(node);
        if (scope.what() == Scope::What::Class)
            note_annotation(scope, statement);
        if (statement.value)
            assign(*statement.target, eval(*statement.value, scope), scope);
        return Flow::Next;
    }
    case Kind::If: return exec_if(ast::to<ast::If>(node), scope, frame);
    case Kind::For: return exec_for(ast::to<ast::For>(node), scope, frame);
    case Kind::While: return exec_while(ast::to<ast::While>(node), scope, frame);
    case Kind::FunctionDef: define_function(ast::to<ast::FunctionDef>(node), scope); return Flow::Next;
    case Kind::ClassDef: define_class(ast::to<ast::ClassDef>(node), scope, frame); return Flow::Next;
    case Kind::Return: {
        const auto& statement = ast::to<ast::Return>(node);
        frame.returned = statement.value ? eval(*statement.value, scope) : Value();
        return Flow::Return;
    }
    case Kind::Break: return Flow::Break;
    case Kind::Continue: return Flow::Continue;
    case Kind::Pass: return Flow::Next;
    case Kind::Assert: exec_assert(ast::to<ast::Assert>(node), scope); return Flow::Next;
    case Kind::With: return exec_with(ast::to<ast::With>(node), 0, scope, frame);
    case Kind::Raise: exec_raise(ast::to<ast::Raise>(node), scope, frame);
    case Kind::Try: return exec_try(ast::to<ast::Try>(node), scope, frame);
    case Kind::Import: exec_import(ast::to<ast::Import>(node), scope); return Flow::Next;
    case Kind::ImportFrom: exec_import_from(ast::to<ast::ImportFrom>(node), scope); return Flow::Next;
    case Kind::Global:
    case Kind::Nonlocal: return Flow::Next; // in the layout
    case Kind::Del:
        for (const ast::Expr* target : ast::to<ast::Del>(node).targets)
            exec_delete(*target, scope);
        return Flow::Next;
    case Kind::Match: fail(DiagId::UnsupportedSyntax, first_word(node.span), "'match'");
    case Kind::ErrorStmt:
        poison(node, scope);
        if (!self.in_preview())
            throw DiagnosticError(Diagnostic{}); // reported by the parser
        return Flow::Next;
    default: break;
    }
    internal_failure(__FILE__, __LINE__, "unknown statement", "");
}

// The first word of a statement, where a message about the whole of it points.
Span Evaluator::Impl::first_word(Span span) const {
    std::string_view text = sources.text(span);
    std::size_t length = 0;
    while (length < text.size() && (std::isalnum(static_cast<unsigned char>(text[length])) || text[length] == '_'))
        ++length;
    return {span.file, span.begin, span.begin + static_cast<std::uint32_t>(std::max<std::size_t>(length, 1))};
}

// ---- control flow -------------------------------------------------------------------------------------------------

static bool leaves(ast::Block block, bool in_loop);

// Whether running the statement could leave the surrounding function or loop.
static bool leaves(const ast::Stmt& node, bool in_loop) {
    switch (node.kind) {
    case Kind::Return: return true;
    case Kind::Break:
    case Kind::Continue: return !in_loop;
    case Kind::If:
        return leaves(ast::to<ast::If>(node).body, in_loop) || leaves(ast::to<ast::If>(node).else_body, in_loop);
    case Kind::For: return leaves(ast::to<ast::For>(node).body, true);
    case Kind::While: return leaves(ast::to<ast::While>(node).body, true);
    case Kind::With: return leaves(ast::to<ast::With>(node).body, in_loop);
    case Kind::Try: return leaves(ast::to<ast::Try>(node).body, in_loop);
    default: return false;
    }
}
static bool leaves(ast::Block block, bool in_loop) {
    return std::ranges::any_of(block, [&](const ast::Stmt* statement) { return leaves(*statement, in_loop); });
}

// A branch that depends on data is skipped, and what it would have bound is unknown; when it could have left the
// function or the loop, nothing after it is known either.
Flow Evaluator::Impl::exec_if(const ast::If& statement, Scope& scope, Frame& frame) {
    const ast::If* at = &statement;
    while (true) {
        bool taken = false;
        try {
            taken = self.truth(eval(*at->condition, scope), at->condition->span);
        } catch (const UnknownValue&) {
            charge_steps(cost::unknown, statement.span);
            if (leaves(statement, false))
                throw;
            poison(statement, scope);
            return Flow::Next;
        }
        if (taken)
            return exec_block(at->body, scope, frame);
        if (at->else_body.size() == 1 && at->else_body[0]->kind == Kind::If) {
            at = &ast::to<ast::If>(*at->else_body[0]);
            charge_steps(1, at->span);
            continue;
        }
        return exec_block(at->else_body, scope, frame);
    }
}

// The body for as long as `next` says that there is another round. What depends on unknown data ends the loop silently.
template <class Loop>
Flow Evaluator::Impl::exec_loop(const Loop& statement, Span head, const std::function<bool()>& next, Scope& scope,
                                Frame& frame) {
    try {
        while (next()) {
            Flow flow = exec_block(statement.body, scope, frame);
            if (flow == Flow::Break)
                return Flow::Next;
            if (flow == Flow::Return)
                return flow;
            charge_steps(1, head);
        }
    } catch (const UnknownValue&) {
        charge_steps(cost::unknown, head);
        if (leaves(statement.body, true))
            throw;
        poison(statement, scope);
        return Flow::Next;
    }
    return exec_block(statement.else_body, scope, frame);
}

Flow Evaluator::Impl::exec_for(const ast::For& statement, Scope& scope, Frame& frame) {
    if (statement.is_async)
        fail(DiagId::UnsupportedSyntax, first_word(statement.span), "'async'");
    const Span head = statement.iterable->span;
    Value iterable, item;
    Ref<IteratorObject> items;
    const auto next = [&] {
        if (!items)
            items = iterator(iterable = eval(*statement.iterable, scope), head);
        charge_steps(1, head);
        if (!items->next(self, item))
            return false;
        assign(*statement.target, item, scope);
        return true;
    };
    return exec_loop(statement, head, next, scope, frame);
}

Flow Evaluator::Impl::exec_while(const ast::While& statement, Scope& scope, Frame& frame) {
    const Span head = statement.condition->span;
    return exec_loop(
        statement, head, [&] { return self.truth(eval(*statement.condition, scope), head); }, scope, frame);
}

Flow Evaluator::Impl::exec_with(const ast::With& statement, std::size_t index, Scope& scope, Frame& frame) {
    if (statement.is_async)
        fail(DiagId::UnsupportedSyntax, first_word(statement.span), "'async'");
    if (index == statement.items.size())
        return exec_block(statement.body, scope, frame);
    const ast::WithItem& item = statement.items[index];
    Span span = item.context->span;
    Value context = eval(*item.context, scope);
    if (context.is(ValueKind::Unknown)) {
        if (item.target)
            assign(*item.target, Value::unknown(), scope);
        return exec_with(statement, index + 1, scope, frame);
    }
    Value entered;
    bool native = context.is(ValueKind::Extension);
    charge_steps(2 * cost::call, span);
    if (native) {
        auto result = static_cast<NativeObject*>(context.object())->enter(self, span);
        if (!result)
            fail(DiagId::NoContextManager, span, type_name(context));
        entered = *result;
    } else {
        auto result = call_method(context, "__enter__", {}, span);
        if (!result)
            fail(DiagId::NoContextManager, span, type_name(context));
        entered = *result;
    }
    auto leave = [&](std::vector<Value> why) {
        if (native)
            return leave_context(self, *static_cast<NativeObject*>(context.object()), why[1], span);
        auto result = call_method(context, "__exit__", std::move(why), span);
        return result && !result->is(ValueKind::Unknown) && self.truth(*result, span);
    };
    Ref<ExceptionObject> exception;
    try {
        if (item.target)
            assign(*item.target, entered, scope);
        Flow flow = exec_with(statement, index + 1, scope, frame);
        leave({Value(), Value(), Value()});
        return flow;
    } catch (const RaisedError& error) {
        exception = error.exception;
    } catch (const DiagnosticError& error) {
        if (!can_be_caught(error.diagnostic)) {
            if (native)
                leave({Value(), Value(), Value()});
            throw;
        }
        exception = exception_of(error);
    } catch (const UnknownValue&) {
        leave({Value(), Value(), Value()});
        throw;
    }
    charge_steps(cost::exception, span);
    Value value = Value::object(ValueKind::Instance, exception);
    if (leave({Value::object(ValueKind::Class, exception->type), value, Value()}))
        return Flow::Next;
    throw RaisedError{exception};
}

Flow Evaluator::Impl::handle(const ast::Try& statement, const Ref<ExceptionObject>& exception, bool& handled,
                             Scope& scope, Frame& frame) {
    Value value = Value::object(ValueKind::Instance, exception);
    for (const ast::Handler& handler : statement.handlers) {
        if (handler.type) {
            Value types = eval(*handler.type, scope);
            if (!types.is(ValueKind::Class) && !types.is(ValueKind::Tuple))
                fail(DiagId::NotAnException, handler.type->span, type_name(types));
            if (!is_instance(value, types, handler.type->span))
                continue;
        }
        handled = true;
        if (!handler.name.text.empty())
            scope.bind(handler.name, value);
        frame.handled.push_back(value);
        struct Leave {
            Frame& frame;
            Scope& scope;
            const ast::Handler& handler;
            ~Leave() {
                frame.handled.pop_back();
                if (!handler.name.text.empty())
                    scope.unbind(handler.name.text);
            }
        } leave{frame, scope, handler};
        return exec_block(handler.body, scope, frame);
    }
    return Flow::Next;
}

Flow Evaluator::Impl::exec_try(const ast::Try& statement, Scope& scope, Frame& frame) {
    int depth = call_depth;
    std::size_t open_frames = frames.size();
    auto guarded = [&]() -> Flow {
        Ref<ExceptionObject> exception;
        try {
            Flow flow = exec_block(statement.body, scope, frame);
            if (flow != Flow::Next)
                return flow;
        } catch (const RaisedError& error) {
            exception = error.exception;
        } catch (const DiagnosticError& error) {
            if (!can_be_caught(error.diagnostic))
                throw;
            exception = exception_of(error);
        }
        if (!exception)
            return exec_block(statement.else_body, scope, frame);
        call_depth = depth;
        frames.resize(open_frames);
        charge_steps(cost::exception, statement.span);
        bool handled = false;
        Flow flow = handle(statement, exception, handled, scope, frame);
        return handled ? flow : throw RaisedError{exception};
    };
    if (statement.finally_body.empty())
        return guarded();
    Flow flow = Flow::Next;
    Value returned;
    std::exception_ptr pending;
    bool budget = false;
    try {
        flow = guarded();
        returned = frame.returned;
    } catch (const DiagnosticError& error) {
        pending = std::current_exception();
        budget = !can_be_caught(error.diagnostic);
    } catch (...) {
        pending = std::current_exception();
    }
    if (budget)
        std::rethrow_exception(pending);
    Flow last = exec_block(statement.finally_body, scope, frame);
    if (last != Flow::Next)
        return last;
    if (pending) {
        charge_steps(cost::frame, statement.span);
        std::rethrow_exception(pending);
    }
    frame.returned = returned;
    return flow;
}

// ---- binding ------------------------------------------------------------------------------------------------------

void Evaluator::Impl::exec_aug_assign(const ast::AugAssign& statement, Scope& scope) {
    Span at = statement.target->span;
    auto combine = [&](const Value& old) {
        Value operand = eval(*statement.value, scope);
        current = statement.span;
        return hidet::lang::binary(self, statement.op, old, operand, at, statement.value->span, true);
    };
    switch (statement.target->kind) {
    case Kind::Name: {
        const auto& name = ast::to<ast::Name>(*statement.target);
        scope.bind({name.id, name.span}, combine(eval_name(name, scope)));
        return;
    }
    case Kind::Attribute: {
        const auto& target = ast::to<ast::Attribute>(*statement.target);
        Value object = eval(*target.object, scope);
        set_attribute(object, target.name, combine(attribute(object, target.name.text, target.name.span)));
        return;
    }
    case Kind::Subscript: {
        const auto& target = ast::to<ast::Subscript>(*statement.target);
        Value object = eval(*target.object, scope);
        Value index = eval(*target.index, scope);
        Value result = combine(subscript(object, index, target.object->span, target.index->span));
        set_item(object, index, result, target.object->span, target.index->span);
        return;
    }
    default: fail(DiagId::UnsupportedSyntax, at, "this target of an augmented assignment");
    }
}

void Evaluator::Impl::name_given(std::string_view name, const Value& value) {
    if (options.graphs && value.is(ValueKind::Extension))
        options.graphs->named(value, name);
}

void Evaluator::Impl::assign(const ast::Expr& target, Value value, Environment& environment) {
    ir->keep({&value, 1}, target.span);
    switch (target.kind) {
    case Kind::Name:
        environment.bind({ast::to<ast::Name>(target).id, target.span}, value);
        name_given(ast::to<ast::Name>(target).id, value);
        if (options.observer)
            options.observer->bound(target.span, value);
        return;
    case Kind::Tuple:
    case Kind::List: unpack(*ast::written_items(&target), value, target.span, environment); return;
    case Kind::Starred: assign(*ast::to<ast::Starred>(target).value, value, environment); return;
    case Kind::Attribute: {
        const auto& place = ast::to<ast::Attribute>(target);
        set_attribute(eval(*place.object, environment), place.name, value);
        name_given(place.name.text, value);
        if (options.observer)
            options.observer->bound(place.name.span, value);
        return;
    }
    case Kind::Subscript: {
        const auto& place = ast::to<ast::Subscript>(target);
        Value object = eval(*place.object, environment);
        Value index = eval(*place.index, environment);
        set_item(object, index, value, place.object->span, place.index->span);
        return;
    }
    case Kind::ErrorExpr: return;
    default: fail(DiagId::UnsupportedSyntax, target.span, "this assignment target");
    }
}

void Evaluator::Impl::unpack(ast::ExprList targets, const Value& value, Span span, Environment& environment) {
    if (value.is(ValueKind::Unknown)) {
        for (const ast::Expr* target : targets)
            assign(*target, value, environment);
        return;
    }
    std::size_t star = targets.size();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i]->kind != Kind::Starred)
            continue;
        if (star < targets.size())
            fail(DiagId::UnsupportedSyntax, targets[i]->span, "a second starred target");
        star = i;
    }
    std::vector<Value> items;
    if (value.is(ValueKind::List) || value.is(ValueKind::Tuple)) {
        items = value.items();
    } else { // no more than needed: the iterable may be endless
        Ref<IteratorObject> source = iterator(value, span);
        Value item;
        while ((star < targets.size() || items.size() <= targets.size()) && source->next(self, item)) {
            charge_steps(1, span);
            items.push_back(item);
        }
    }
    if (star == targets.size()) {
        if (items.size() != targets.size())
            fail(DiagId::UnpackCount, span, items.size() < targets.size() ? "not enough" : "too many", targets.size(),
                 items.size() > targets.size() && !value.is(ValueKind::List) && !value.is(ValueKind::Tuple)
                     ? std::string("more")
                     : cat(items.size()));
        for (std::size_t i = 0; i < targets.size(); ++i)
            assign(*targets[i], items[i], environment);
        return;
    }
    std::size_t after = targets.size() - star - 1;
    if (items.size() < star + after)
        fail(DiagId::UnpackCount, span, "not enough", cat("at least ", star + after), items.size());
    for (std::size_t i = 0; i < star; ++i)
        assign(*targets[i], items[i], environment);
    auto first = items.begin() + static_cast<std::ptrdiff_t>(star);
    auto last = items.end() - static_cast<std::ptrdiff_t>(after);
    assign(*targets[star], new_list({first, last}), environment);
    for (std::size_t i = 0; i < after; ++i)
        assign(*targets[star + 1 + i], items[items.size() - after + i], environment);
}

void Evaluator::Impl::exec_delete(const ast::Expr& target, Scope& scope) {
    switch (target.kind) {
    case Kind::Name: {
        const auto& name = ast::to<ast::Name>(target);
        if (!scope.unbind(name.id))
            unknown_name(name, scope);
        return;
    }
    case Kind::Tuple:
    case Kind::List:
        for (const ast::Expr* item : *ast::written_items(&target))
            exec_delete(*item, scope);
        return;
    case Kind::Attribute: {
        const auto& place = ast::to<ast::Attribute>(target);
        delete_attribute(eval(*place.object, scope), place.name);
        return;
    }
    case Kind::Subscript: {
        const auto& place = ast::to<ast::Subscript>(target);
        Value object = eval(*place.object, scope);
        delete_item(object, eval(*place.index, scope), place.object->span, place.index->span);
        return;
    }
    default: fail(DiagId::UnsupportedSyntax, target.span, "this target of 'del'");
    }
}

} // namespace hidet::lang
