// SPDX-License-Identifier: Apache-2.0
// Calls: binding of arguments, functions of the script, construction of instances.
#include <algorithm>

#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/operators.h"
#include "lang/host/value_observer.h"

namespace hidet::lang {

static bool has_ir_argument(const Args& args) {
    auto is_expr = [](const Value& value) { return value.is(ValueKind::Expr); };
    return std::ranges::any_of(args.positional, is_expr);
}

Value Evaluator::Impl::call(const Value& function, Args& args, Span span) {
    const Value callee = function; // held: what runs may drop it from where it was found
    check_stack(span);
    charge_steps(cost::call + (args.positional.size() + args.keywords.size()) / 2, span);
    switch (callee.kind()) {
    case ValueKind::Unknown: return callee;
    case ValueKind::Function: return call_function(as_function(callee), args, span, nullptr);
    case ValueKind::BoundMethod: {
        const auto& method = object_of<BoundMethodObject>(callee);
        if (method.function.is(ValueKind::Function))
            return call_function(as_function(method.function), args, span, &method.self);
        charge_items(args.positional.size(), span);
        args.positional.insert(args.positional.begin(), method.self); // no copy: methods are bound to methods, deep
        args.spans.insert(args.spans.begin(), span);
        return call(method.function, args, span);
    }
    case ValueKind::Native: {
        const auto& native = object_of<NativeFunctionObject>(callee);
        if (native.has_ir_form && has_ir_argument(args))
            if (auto result = ir->call_builtin(native.name, args, span))
                return *result;
        current = span;
        return native.function(self, args, span);
    }
    case ValueKind::Class: {
        auto& type = as_class(callee);
        if (type.is_builtin && has_ir_argument(args))
            if (auto result = ir->call_builtin(type.name, args, span))
                return *result;
        current = span;
        return construct(type, args, span);
    }
    case ValueKind::Instance:
        if (const Value* method = as_instance(callee).type->find("__call__")) {
            Value bound = bind_method(*method, callee, as_instance(callee).type.get());
            return call(bound, args, span);
        }
        break;
    case ValueKind::Type:
    case ValueKind::Layout:
    case ValueKind::Mapping:
    case ValueKind::Expr:
    case ValueKind::ScriptFunction: return ir->call(callee, args, span);
    case ValueKind::Extension: {
        current = span;
        if (auto result = static_cast<NativeObject*>(callee.object())->call(self, args, span))
            return *result;
        break;
    }
    default: break;
    }
    fail(DiagId::NotCallable, span, type_name(callee));
}

std::optional<Value> Evaluator::Impl::call_method(const Value& object, std::string_view name,
                                                  std::vector<Value> positional, Span span) {
    if (!object.is(ValueKind::Instance))
        return std::nullopt;
    ClassObject& type = *as_instance(object).type;
    const Value* method = type.find(name);
    if (!method || method->is(ValueKind::None))
        return std::nullopt;
    return self.call(bind_method(*method, object, &type), std::move(positional), span);
}

// ---- functions of the script --------------------------------------------------------------------------------------

namespace {

// Counts the open calls, and keeps the frame findable for super() and bare raise.
class OpenCall {
public:
    OpenCall(Evaluator::Impl& impl, Frame& frame, Span span) : m_impl(impl) {
        if (impl.call_depth >= impl.options.max_call_depth)
            fail(DiagId::CallTooDeep, span, impl.call_depth);
        ++impl.call_depth;
        impl.frames.push_back(&frame);
    }
    ~OpenCall() {
        --m_impl.call_depth;
        m_impl.frames.pop_back();
    }

private:
    Evaluator::Impl& m_impl;
};

constexpr std::size_t max_call_notes = 8;

void add_call_note(std::vector<Note>& notes, const std::string& name, Span span) {
    if (span.known() && notes.size() < max_call_notes && (notes.empty() || !(notes.back().span == span)))
        notes.push_back({span, "in a call of '" + name + "'"});
}

} // namespace

Value Evaluator::Impl::call_function(FunctionObject& function, Args& args, Span span, const Value* self_value) {
    Ref<Object> keep(&function);
    Frame frame;
    frame.function = &function;
    OpenCall open(*this, frame, span);
    charge_steps(1, span);
    ++function.calls;
    if (self_value) {
        args.positional.insert(args.positional.begin(), *self_value);
        args.spans.insert(args.spans.begin(), span);
    }
    frame.self = args.positional.empty() ? Value::unbound() : args.positional[0];
    Ref<Scope> scope(new Scope(Scope::What::Function, function.closure, function.layout));
    track(*scope);
    try {
        ExpressionPart part(*ir, PartRuns::Once);
        if (part.is_open())
            keep_arguments(args, span);
        bind_arguments(function, args, span, *scope);
        if (function.lambda)
            return part.close(eval(*function.lambda->body, *scope), span);
        exec_block(function.def->body, *scope, frame);
        return part.close(frame.returned, span);
    } catch (DiagnosticError& error) {
        steps += cost::frame; // looked at with the next step, for this exception to go on
        add_call_note(error.diagnostic.notes, function.name, span);
        throw;
    } catch (RaisedError& error) {
        steps += cost::frame;
        add_call_note(error.exception->diagnostic ? error.exception->diagnostic->notes : error.exception->notes,
                      function.name, span);
        throw;
    } catch (const UnknownValue&) {
        charge_steps(cost::unknown, span);
        return Value::unknown();
    }
}

void Evaluator::Impl::keep_arguments(Args& args, Span span) {
    std::vector<Value> values = args.positional;
    for (auto& [name, value] : args.keywords)
        values.push_back(value);
    ir->keep(values, span);
    std::size_t positional = args.positional.size();
    std::copy_n(values.begin(), positional, args.positional.begin());
    for (std::size_t i = 0; i < args.keywords.size(); ++i)
        args.keywords[i].second = values[positional + i];
}

void Evaluator::Impl::bind_arguments(FunctionObject& function, Args& args, Span span, Scope& scope) {
    const std::span<ast::Param> params = function.params;
    std::size_t next = 0;       // positional argument
    std::size_t positional = 0; // parameters that take one
    const ast::Param* rest_keywords = nullptr;
    bool takes_rest = false;
    auto slot = [&](std::size_t i) -> Value& { return scope.slot(i); }; // parameters come first in the layout
    std::size_t index = 0;
    std::size_t rest_keywords_slot = 0;
    for (const ast::Param& param : params) {
        if (param.name.text.empty()) // a bare star
            continue;
        switch (param.what) {
        case ast::ParamKind::PositionalOnly:
        case ast::ParamKind::Normal:
            ++positional;
            if (next < args.positional.size())
                slot(index) = args.positional[next++];
            break;
        case ast::ParamKind::VarArgs: {
            takes_rest = true;
            std::vector<Value> rest(args.positional.begin() +
                                        static_cast<std::ptrdiff_t>(std::min(next, args.positional.size())),
                                    args.positional.end());
            next = args.positional.size();
            slot(index) = Value::tuple(std::move(rest));
            break;
        }
        case ast::ParamKind::KeywordOnly: break;
        case ast::ParamKind::VarKeywords:
            rest_keywords = &param;
            rest_keywords_slot = index;
            slot(index) = new_dict();
            break;
        }
        ++index;
    }
    if (next < args.positional.size() && !takes_rest) {
        std::string takes = positional == 0   ? std::string("no positional argument")
                            : positional == 1 ? std::string("one positional argument")
                                              : cat(positional, " positional arguments");
        Diagnostic diagnostic =
            Diagnostic::make(DiagId::TooManyArguments, args.span_of(next, span), function.name, takes,
                             cat(args.positional.size(), args.positional.size() == 1 ? " was" : " were"));
        if (function.def)
            diagnostic.notes.push_back({function.def->name.span, "defined here"});
        throw DiagnosticError(std::move(diagnostic));
    }
    for (std::size_t k = 0; k < args.keywords.size(); ++k) {
        auto& [name, value] = args.keywords[k];
        Span at = k < args.keyword_name_spans.size() ? args.keyword_name_spans[k] : span;
        std::size_t i = 0;
        const ast::Param* found = nullptr;
        charge_items(params.size(), at);
        for (const ast::Param& param : params) {
            if (param.name.text.empty())
                continue;
            if (param.name.text == name &&
                (param.what == ast::ParamKind::Normal || param.what == ast::ParamKind::KeywordOnly)) {
                found = &param;
                break;
            }
            ++i;
        }
        if (found) {
            if (!slot(i).is(ValueKind::Unbound))
                fail(DiagId::RepeatedArgument, at, function.name, name);
            slot(i) = value;
        } else if (rest_keywords) {
            as_dict(slot(rest_keywords_slot)).table.set(self, Value::str(name), value, at);
        } else {
            std::vector<std::string> names;
            for (const ast::Param& param : params)
                if (param.what == ast::ParamKind::Normal || param.what == ast::ParamKind::KeywordOnly)
                    names.emplace_back(param.name.text);
            throw suggesting(Diagnostic::make(DiagId::UnknownKeyword, at, function.name, name), at, name, names);
        }
    }
    index = 0;
    for (std::size_t p = 0; p < params.size(); ++p) {
        if (params[p].name.text.empty())
            continue;
        Value& value = slot(index++);
        if (!value.is(ValueKind::Unbound))
            continue;
        if (!function.defaults[p].is(ValueKind::Unbound)) {
            value = function.defaults[p];
            continue;
        }
        Diagnostic diagnostic = Diagnostic::make(DiagId::MissingArgument, span, function.name, params[p].name.text);
        diagnostic.notes.push_back({params[p].span, "this parameter"});
        throw DiagnosticError(std::move(diagnostic));
    }
    index = 0;
    for (const ast::Param& param : params) {
        if (param.name.text.empty())
            continue;
        const Value& value = slot(index++);
        name_given(param.name.text, value);
        if (options.observer)
            options.observer->bound(param.name.span, value);
    }
}

// ---- classes ------------------------------------------------------------------------------------------------------

Value Evaluator::Impl::new_instance(Ref<ClassObject> type) {
    Ref<InstanceObject> instance(new InstanceObject);
    instance->type = std::move(type);
    track(*instance);
    return Value::object(ValueKind::Instance, instance);
}

Value Evaluator::Impl::construct(ClassObject& type, Args& args, Span span) {
    if (type.construct)
        return type.construct(self, args, span);
    Ref<ClassObject> keep(&type);
    const Value* init = type.find("__init__");
    if (type.is_exception) {
        Ref<ExceptionObject> exception = make_exception(keep, args.positional, span);
        Value object = Value::object(ValueKind::Instance, exception);
        if (init) {
            Value bound = bind_method(*init, object, &type);
            call(bound, args, span);
        } else if (!args.keywords.empty()) {
            fail(DiagId::UnknownKeyword, args.keyword_name_spans.empty() ? span : args.keyword_name_spans[0], type.name,
                 args.keywords[0].first);
        }
        return object;
    }
    if (const Value* method = type.find("__new__"); method && !method->is(ValueKind::None))
        fail(DiagId::UnsupportedSyntax, span, "'__new__'");
    for (const ClassObject* at = &type; at; at = at->base.get())
        if (at->is_builtin && at->construct && at != &type)
            return at->construct(self, args, span);
    Value object = new_instance(keep);
    if (!init) {
        if (!args.positional.empty() || !args.keywords.empty())
            fail(DiagId::TooManyArguments, args.span_of(0, span), type.name, "no arguments",
                 cat(args.positional.size() + args.keywords.size(),
                     args.positional.size() + args.keywords.size() == 1 ? " was" : " were"));
        return object;
    }
    Value bound = bind_method(*init, object, &type);
    call(bound, args, span);
    return object;
}

std::unique_ptr<Value> ScriptDecorator::call(Evaluator& evaluator, Args& args, Span span) {
    if (args.positional.size() != 1 || !args.keywords.empty())
        fail(DiagId::MissingArgument, span, "script", "func");
    const Value& value = args.positional[0];
    if (value.is(ValueKind::Unknown) || value.is(ValueKind::ScriptFunction))
        return boxed(value);
    if (!value.is(ValueKind::Function) || !as_function(value).def)
        fail(DiagId::BadType, args.span_of(0, span),
             cat("script() wants a function, not '", hidet::lang::type_name(value), "'"));
    FunctionObject& function = as_function(value);
    return boxed(evaluator.ir().define_script(*function.def, *function.closure));
}

} // namespace hidet::lang
