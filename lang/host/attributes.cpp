// SPDX-License-Identifier: Apache-2.0
// Attributes: reading, writing, and what to suggest for a misspelt one.
#include <algorithm>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/methods.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::lang {

Value Evaluator::Impl::bind_method(const Value& function, const Value& object, ClassObject* type) {
    if (const auto* wrapper = function.extension<MethodWrapper>()) {
        switch (wrapper->what) {
        case MethodWrapper::What::Static: return wrapper->function;
        case MethodWrapper::What::Class: {
            Ref<ClassObject> owner = object.is(ValueKind::Instance) ? as_instance(object).type
                                     : object.is(ValueKind::Class)  ? Ref<ClassObject>(&as_class(object))
                                                                    : Ref<ClassObject>(type);
            Ref<BoundMethodObject> method(new BoundMethodObject);
            method->self = Value::object(ValueKind::Class, owner);
            method->function = wrapper->function;
            return Value::object(ValueKind::BoundMethod, method);
        }
        case MethodWrapper::What::Property: return self.call(wrapper->function, {object}, current);
        }
    }
    if (!function.is(ValueKind::Function) && !function.is(ValueKind::Native))
        return function;
    if (object.is(ValueKind::Unbound))
        return function;
    Ref<BoundMethodObject> method(new BoundMethodObject);
    method->self = object;
    method->function = function;
    return Value::object(ValueKind::BoundMethod, method);
}

// Every method of a str reads all of it.
Value Evaluator::Impl::call_row(const MethodRow& row, const Value& object, Args& args, Span span) {
    charge_steps(cost::call, span);
    if (object.is(ValueKind::Str)) {
        std::size_t longest = 0;
        for (const Value& argument : args.positional)
            if (argument.is(ValueKind::Str))
                longest = std::max(longest, argument.as_str().size());
        charge_search(object, longest, span);
    }
    return row(self, object, args, span);
}

static Value bound_row(const MethodRow& row, const Value& object) {
    return Value::native(std::string(row.name), [&row, object](Evaluator& evaluator, Args& args, Span span) {
        return evaluator.impl().call_row(row, object, args, span);
    });
}

// A method of a built-in class taken from the class: str.upper, list.append.
static std::optional<Value> unbound_row(const ClassObject& type, std::string_view name) {
    static constexpr std::pair<std::string_view, ValueKind> kinds[] = {
        {"str", ValueKind::Str}, {"list", ValueKind::List}, {"tuple", ValueKind::Tuple}, {"dict", ValueKind::Dict},
        {"set", ValueKind::Set}, {"int", ValueKind::Int},   {"float", ValueKind::Float},
    };
    for (auto [class_name, kind] : kinds) {
        const MethodRow* row = type.name == class_name ? find_method(kind, name) : nullptr;
        if (!row)
            continue;
        return Value::native(std::string(name), [row, kind = kind](Evaluator& evaluator, Args& args, Span span) {
            if (args.positional.empty() || !args.positional[0].is(kind))
                fail(DiagId::BadType, args.span_of(0, span),
                     cat("method '", row->name, "' is called without an object of its type"));
            Value object = args.positional[0];
            Args rest = behind_first(args);
            return evaluator.impl().call_row(*row, object, rest, span);
        });
    }
    return std::nullopt;
}

static std::optional<Value> instance_attribute(Evaluator::Impl& impl, const Value& object, std::string_view name,
                                               Span span) {
    InstanceObject& instance = as_instance(object);
    impl.charge_items(static_cast<std::uint64_t>(instance.type->depth) * 4, span);
    const Value* in_class = instance.type->find(name);
    const auto* wrapper = in_class ? in_class->extension<MethodWrapper>() : nullptr;
    if (wrapper && wrapper->what == MethodWrapper::What::Property) {
        Span before = std::exchange(impl.current, span);
        Value value = impl.bind_method(*in_class, object, instance.type.get());
        impl.current = before;
        return value;
    }
    if (const Value* field = instance.fields.find(name))
        return *field;
    if (in_class)
        return impl.bind_method(*in_class, object, instance.type.get());
    if (name == "__class__")
        return Value::object(ValueKind::Class, instance.type);
    if (name == "__dict__") {
        Value dict = impl.new_dict();
        impl.charge_steps(instance.fields.names().size(), span);
        instance.fields.for_each([&](const std::string& key, const Value& value) {
            as_dict(dict).table.set(impl.self, Value::str(key), value, span);
        });
        return dict;
    }
    if (dynamic_cast<ExceptionObject*>(&instance) &&
        (name == "__traceback__" || name == "__cause__" || name == "__context__"))
        return Value();
    if (instance.type->name == "StopIteration" && name == "value") {
        const Value* args = instance.fields.find("args");
        return args && args->is(ValueKind::Tuple) && !args->items().empty() ? args->items()[0] : Value();
    }
    if (const Value* fallback = instance.type->find("__getattr__")) {
        Value bound = impl.bind_method(*fallback, object, instance.type.get());
        return impl.self.call(bound, {Value::str(std::string(name))}, span);
    }
    return std::nullopt;
}

static std::optional<Value> function_attribute(FunctionObject& function, std::string_view name) {
    if (const Value* value = function.attributes.find(name))
        return *value;
    if (name == "__name__" || name == "__qualname__")
        return Value::str(function.name);
    if (name == "__module__")
        return Value::str("__main__");
    if (name == "__doc__") {
        const ast::ExprStmt* first =
            function.def && !function.def->body.empty() ? ast::as<ast::ExprStmt>(function.def->body[0]) : nullptr;
        const auto* text = first ? ast::as<ast::Constant>(first->value) : nullptr;
        return text && text->what == ast::ConstantKind::String ? Value::str(std::string(text->text)) : Value();
    }
    return std::nullopt;
}

std::optional<Value> Evaluator::Impl::get_attribute(const Value& object, std::string_view name, Span span) {
    check_stack(span); // methods are bound to methods
    switch (object.kind()) {
    case ValueKind::Unknown: return object;
    case ValueKind::Instance: return instance_attribute(*this, object, name, span);
    case ValueKind::Class: {
        ClassObject& type = as_class(object);
        charge_items(static_cast<std::uint64_t>(type.depth) * 4, span);
        if (const Value* value = type.find(name)) {
            const auto* wrapper = value->extension<MethodWrapper>();
            if (wrapper && wrapper->what != MethodWrapper::What::Property)
                return bind_method(*value, object, &type);
            return *value;
        }
        if (name == "__name__" || name == "__qualname__")
            return Value::str(type.name);
        if (name == "__init__" && !type.is_builtin)
            return Value::native("__init__", [](Evaluator&, Args&, Span) { return Value(); });
        if (name == "__module__")
            return Value::str(type.is_builtin ? "builtins" : "__main__");
        if (name == "__bases__")
            return Value::tuple({Value::object(ValueKind::Class, type.base ? type.base : builtin_class("object"))});
        return unbound_row(type, name);
    }
    case ValueKind::Module: return module_attribute(as_module(object), name, span);
    case ValueKind::Function: return function_attribute(as_function(object), name);
    case ValueKind::BoundMethod: {
        const auto& method = object_of<BoundMethodObject>(object);
        if (name == "__self__")
            return method.self;
        if (name == "__func__")
            return method.function;
        return get_attribute(method.function, name, span);
    }
    case ValueKind::Native: {
        const std::string& full = object_of<NativeFunctionObject>(object).name;
        if (name == "__name__" || name == "__qualname__")
            return Value::str(full.substr(full.rfind('.') + 1));
        return std::nullopt;
    }
    case ValueKind::Range: {
        const RangeObject& range = as_range(object);
        if (name == "start" || name == "stop" || name == "step")
            return Value::integer(name == "start" ? range.start : name == "stop" ? range.stop : range.step);
        break;
    }
    case ValueKind::Slice: {
        const auto& slice = object_of<SliceObject>(object);
        if (name == "start" || name == "stop" || name == "step")
            return name == "start" ? slice.start : name == "stop" ? slice.stop : slice.step;
        break;
    }
    case ValueKind::Int:
    case ValueKind::Bool:
    case ValueKind::Float:
        if (name == "real" || (name == "numerator" && !object.is(ValueKind::Float)))
            return object;
        if (name == "imag")
            return Value::integer(0);
        if (name == "denominator" && !object.is(ValueKind::Float))
            return Value::integer(1);
        break;
    case ValueKind::Tensor:
        if (auto value = tensor_attribute(self, object, name, span))
            return value;
        break;
    case ValueKind::Expr:
    case ValueKind::Stmt:
    case ValueKind::Type:
    case ValueKind::Layout:
    case ValueKind::Mapping:
    case ValueKind::ScriptFunction: return ir->attribute(object, name, span);
    case ValueKind::Extension:
        if (auto value = static_cast<NativeObject*>(object.object())->attribute(self, name, span))
            return *value;
        break;
    default: break;
    }
    if (const MethodRow* row = find_method(object.kind(), name))
        return bound_row(*row, object);
    if (name == "__class__")
        return Value::object(ValueKind::Class, class_of(object));
    if (name == "__doc__")
        return Value();
    return std::nullopt;
}

std::vector<std::string> Evaluator::Impl::attribute_names(const Value& object) {
    std::vector<std::string> names;
    auto take = [&](std::vector<std::string> more) {
        for (std::string& name : more)
            if (!name.starts_with("__"))
                names.push_back(std::move(name));
    };
    if (object.is(ValueKind::Instance)) {
        take(as_instance(object).fields.names());
        for (const ClassObject* at = as_instance(object).type.get(); at; at = at->base.get())
            take(at->table.names());
    } else if (object.is(ValueKind::Class)) {
        for (const ClassObject* at = &as_class(object); at; at = at->base.get())
            take(at->table.names());
    } else if (object.is(ValueKind::Module)) {
        const HostModule& module = as_module(object);
        if (module.resolve_all)
            module.resolve_all(self);
        take(module.table.names());
        for (const ModuleRow& row : module_rows()) {
            std::string_view name = row.name;
            if (name.size() > module.name.size() + 1 && name.starts_with(module.name) &&
                name[module.name.size()] == '.')
                take({std::string(name.substr(module.name.size() + 1))});
        }
    } else if (object.is(ValueKind::Extension)) {
        take(static_cast<NativeObject*>(object.object())->attributes());
    } else {
        for (const MethodRow& row : methods_of(object.kind()))
            take({std::string(row.name)});
        if (object.is(ValueKind::Tensor))
            take(tensor_attribute_names());
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Value Evaluator::Impl::attribute(const Value& object, std::string_view name, Span span) {
    if (auto value = get_attribute(object, name, span))
        return *value;
    bool is_module = object.is(ValueKind::Module);
    std::string owner = is_module                     ? as_module(object).name
                        : object.is(ValueKind::Class) ? "type object '" + as_class(object).name + "'"
                                                      : type_name(object);
    Diagnostic diagnostic =
        object.is(ValueKind::Class)
            ? Diagnostic::make(DiagId::UnknownAttribute, span, as_class(object).name, name)
            : Diagnostic::make(is_module ? DiagId::UnknownModuleName : DiagId::UnknownAttribute, span, owner, name);
    throw suggesting(std::move(diagnostic), span, name, attribute_names(object));
}

void Evaluator::Impl::set_attribute(const Value& object, const ast::Ident& name, const Value& value) {
    charge_steps(cost::call, name.span);
    switch (object.kind()) {
    case ValueKind::Unknown: return;
    case ValueKind::Instance: {
        InstanceObject& instance = as_instance(object);
        const Value* in_class = instance.type->find(name.text);
        if (const auto* wrapper = in_class ? in_class->extension<MethodWrapper>() : nullptr;
            wrapper && wrapper->what == MethodWrapper::What::Property) {
            if (wrapper->setter.is(ValueKind::None))
                fail(DiagId::ReadOnlyAttribute, name.span, name.text, instance.type->name);
            self.call(wrapper->setter, {object, value}, name.span);
            return;
        }
        if (const Value* setter = instance.type->find("__setattr__")) {
            Value bound = bind_method(*setter, object, instance.type.get());
            self.call(bound, {Value::str(std::string(name.text)), value}, name.span);
            return;
        }
        instance.fields.set(name.text, value);
        return;
    }
    case ValueKind::Class:
        if (as_class(object).is_builtin)
            break;
        as_class(object).table.set(name.text, value);
        return;
    case ValueKind::Module: as_module(object).table.set(name.text, value); return;
    case ValueKind::Function: as_function(object).attributes.set(name.text, value); return;
    case ValueKind::Extension: {
        auto* native = static_cast<NativeObject*>(object.object());
        if (native->set_attribute(self, name.text, value, name.span))
            return;
        std::vector<std::string> names = native->attributes();
        bool known = std::ranges::find(names, name.text) != names.end();
        if (known)
            break;
        throw DiagnosticError(Diagnostic::make(DiagId::UnknownAttribute, name.span, type_name(object), name.text)
                                  .suggest(name.span, name.text, names));
    }
    case ValueKind::Tensor:
        if (name.text == "requires_grad" || name.text == "grad")
            return;
        break;
    default: break;
    }
    fail(DiagId::ReadOnlyAttribute, name.span, name.text,
         object.is(ValueKind::Class) ? as_class(object).name : type_name(object));
}

void Evaluator::Impl::delete_attribute(const Value& object, const ast::Ident& name) {
    NameTable* table = object.is(ValueKind::Instance)                                ? &as_instance(object).fields
                       : object.is(ValueKind::Class) && !as_class(object).is_builtin ? &as_class(object).table
                       : object.is(ValueKind::Module)                                ? &as_module(object).table
                       : object.is(ValueKind::Function)                              ? &as_function(object).attributes
                                                                                     : nullptr;
    if (!table || !table->erase(name.text))
        throw DiagnosticError(Diagnostic::make(DiagId::UnknownAttribute, name.span, type_name(object), name.text)
                                  .suggest(name.span, name.text, attribute_names(object)));
}

// ---- classes of values --------------------------------------------------------------------------------------------

Ref<ClassObject> Evaluator::Impl::class_of(const Value& value) {
    switch (value.kind()) {
    case ValueKind::Instance: return as_instance(value).type;
    case ValueKind::Bool: return builtin_class("bool");
    case ValueKind::Int: return builtin_class("int");
    case ValueKind::Float: return builtin_class("float");
    case ValueKind::Str: return builtin_class("str");
    case ValueKind::List: return builtin_class("list");
    case ValueKind::Tuple: return builtin_class("tuple");
    case ValueKind::Dict: return builtin_class("dict");
    case ValueKind::Set: return builtin_class(as_set(value).frozen ? "frozenset" : "set");
    case ValueKind::Range: return builtin_class("range");
    case ValueKind::Slice: return builtin_class("slice");
    case ValueKind::Class: return builtin_class("type");
    case ValueKind::Tensor: return tensor_class(self, value.as_tensor()->is_torch);
    default: break;
    }
    std::string name = type_name(value);
    Ref<ClassObject>& type = native_classes[name];
    if (!type) {
        type = new_class(name, nullptr);
        type->is_builtin = true;
        type->holds = [name](const Value& other) { return type_name(other) == name; };
        type->construct = [name](Evaluator&, Args&, Span span) -> Value {
            fail(DiagId::BadType, span, cat("cannot make a '", name, "'"));
        };
    }
    return type;
}

bool Evaluator::Impl::is_instance(const Value& value, const Value& types, Span span) {
    check_stack(span);
    charge_steps(1, span);
    if (types.is(ValueKind::Tuple))
        return std::ranges::any_of(types.items(), [&](const Value& type) { return is_instance(value, type, span); });
    if (!types.is(ValueKind::Class))
        fail(DiagId::BadType, span,
             cat("isinstance() wants a class or a tuple of classes, not '", type_name(types), "'"));
    want_known(value);
    const ClassObject& type = as_class(types);
    if (type.holds)
        return type.holds(value);
    return value.is(ValueKind::Instance) && as_instance(value).type->derives_from(type);
}

} // namespace hidet::lang
