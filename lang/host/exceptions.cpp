// SPDX-License-Identifier: Apache-2.0
// Python exceptions, and the way between them and our diagnostics.

#include "lang/host/interpreter.h"
#include "lang/host/operators.h"

namespace hidet::lang {

static constexpr std::size_t longest_text = 300; // of what a script says of itself: it may be all of a tensor

static std::string_view exception_name(DiagId id) {
    switch (id) {
// clang-format off
#define HIDET_RAISES(diagnostic, exception) \
    case DiagId::diagnostic: return #exception;
// clang-format on
#include "lang/host/exceptions.def"
    default: return "Exception";
    }
}

bool Evaluator::Impl::is_too_deep(const InternalError& error) {
    return std::string_view(error.what()).find("nested too deeply") != std::string_view::npos;
}

bool Evaluator::Impl::can_be_caught(const Diagnostic& diagnostic) {
    switch (diagnostic.id) {
    case DiagId::TooManySteps:
    case DiagId::TooMuchMemory:
    case DiagId::TooManyNodes:
    case DiagId::Cancelled:
    case DiagId::KernelFault: // the device is lost: nothing of it can be tried again
    case DiagId::DeviceError: return false;
    default: return true;
    }
}

bool Evaluator::Impl::exit_is_clean(const ExceptionObject& exit) {
    const Value* args = exit.fields.find("args");
    if (!args || !args->is(ValueKind::Tuple) || args->items().empty())
        return true;
    const Value& code = args->items()[0];
    return code.is(ValueKind::None) || (code.is(ValueKind::Int) && code.as_int() == 0);
}

Ref<ClassObject> Evaluator::Impl::exception_class(std::string_view name) {
    return builtin_class(name);
}

Ref<ExceptionObject> Evaluator::Impl::make_exception(const Ref<ClassObject>& type, std::vector<Value> args, Span span) {
    Ref<ExceptionObject> exception(new ExceptionObject);
    exception->type = type;
    exception->raised_at = span;
    exception->fields.set("args", Value::tuple(std::move(args)));
    track(*exception);
    return exception;
}

Ref<ExceptionObject> Evaluator::Impl::exception_of(const DiagnosticError& error) {
    std::vector<Value> args;
    if (const auto* host = dynamic_cast<const HostError*>(&error))
        args = host->args;
    else
        args.push_back(Value::str(error.diagnostic.message));
    Ref<ExceptionObject> exception =
        make_exception(exception_class(exception_name(error.diagnostic.id)), std::move(args), error.diagnostic.span);
    exception->diagnostic = error.diagnostic;
    return exception;
}

Ref<ExceptionObject> Evaluator::Impl::exception_of(const Value& raised, Span span) {
    if (raised.is(ValueKind::Class) && as_class(raised).is_exception) {
        Args none;
        Value value = construct(as_class(raised), none, span);
        return exception_of(value, span);
    }
    auto* exception = raised.is(ValueKind::Instance) ? dynamic_cast<ExceptionObject*>(raised.object()) : nullptr;
    if (!exception)
        fail(DiagId::NotAnException, span, type_name(raised));
    if (!exception->diagnostic && exception->notes.empty())
        exception->raised_at = span;
    return Ref<ExceptionObject>(exception);
}

std::string Evaluator::Impl::exception_text(const ExceptionObject& exception, ExceptionText which) {
    if (const Value* method = which == ExceptionText::OfArguments ? nullptr : exception.type->find("__str__")) {
        Value object = Value::object(ValueKind::Instance, Ref<Object>(const_cast<ExceptionObject*>(&exception)));
        Value text = self.call(bind_method(*method, Value::unbound(), nullptr), {object}, exception.raised_at);
        if (text.is(ValueKind::Str))
            return text.as_str();
    }
    const Value* found = exception.fields.find("args");
    const Value args = found ? *found : Value(); // held: __str__ of one may give the exception others
    if (!args.is(ValueKind::Tuple) || args.items().empty())
        return "";
    if (args.items().size() > 1)
        return self.repr(args);
    const Value& only = args.items()[0];
    return exception.type->name == "KeyError" ? self.repr(only) : self.str(only);
}

void Evaluator::Impl::report(const DiagnosticError& error) {
    if (error.diagnostic.message.empty())
        return;
    Diagnostic diagnostic = error.diagnostic;
    bool of_device = diagnostic.id == DiagId::KernelFault || diagnostic.id == DiagId::DeviceError;
    if (of_device && !diagnostic.span.known()) // found while a tensor was read
        diagnostic.span = current;
    sink.report(std::move(diagnostic));
}

void Evaluator::Impl::report(const RaisedError& error) {
    const ExceptionObject& exception = *error.exception;
    if (exception.diagnostic)
        return report(DiagnosticError(*exception.diagnostic));
    std::string text;
    try {
        text = exception_text(exception);
    } catch (const RaisedError&) { // by its own __str__
        text = "<exception str() failed>";
    } catch (const DiagnosticError& other) {
        if (!can_be_caught(other.diagnostic))
            throw;
        text = "<exception str() failed>";
    } catch (const UnknownValue&) {
    }
    Diagnostic diagnostic = Diagnostic::make(DiagId::UncaughtException, exception.raised_at,
                                             text.empty() ? exception.type->name
                                                          : exception.type->name + ": " + in_brief(text, longest_text));
    diagnostic.notes = exception.notes;
    sink.report(std::move(diagnostic));
}

void Evaluator::Impl::raise(std::string_view type, std::vector<Value> args, Span span) {
    throw RaisedError{make_exception(exception_class(type), std::move(args), span)};
}

// ---- the statements that raise -------------------------------------------------------------------------------------

void Evaluator::Impl::exec_assert(const ast::Assert& statement, Scope& scope) {
    try {
        if (self.truth(eval(*statement.condition, scope), statement.condition->span))
            return;
    } catch (const UnknownValue&) {
        charge_steps(cost::unknown, statement.span);
        return; // depends on data: taken as true
    }
    if (!statement.message)
        throw HostError(Diagnostic::make(DiagId::AssertionFailed, statement.condition->span, ""), {});
    Value message = eval(*statement.message, scope);
    throw HostError(Diagnostic::make(DiagId::AssertionFailed, statement.condition->span,
                                     ": " + in_brief(self.str(message), longest_text)),
                    {message});
}

void Evaluator::Impl::exec_raise(const ast::Raise& statement, Scope& scope, Frame& frame) {
    if (!statement.value) {
        for (auto at = frames.rbegin(); at != frames.rend(); ++at)
            if (!(*at)->handled.empty())
                throw RaisedError{exception_of((*at)->handled.back(), statement.span)};
        (void)frame;
        fail(DiagId::NothingToRaise, statement.span);
    }
    Value value = eval(*statement.value, scope);
    if (statement.cause)
        eval(*statement.cause, scope);
    want_known(value);
    throw RaisedError{exception_of(value, statement.span)};
}

} // namespace hidet::lang
