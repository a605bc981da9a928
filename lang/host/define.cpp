// SPDX-License-Identifier: Apache-2.0
// def and class.
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/typing.h"
#include "lang/host/value_observer.h"

namespace hidet::lang {

Ref<FunctionObject> Evaluator::Impl::make_function(std::string name, std::span<ast::Param> params,
                                                   Environment& environment, Span span) {
    charge_steps(cost::definition + params.size(), span);
    Ref<FunctionObject> function(new FunctionObject);
    function->name = std::move(name);
    function->params = params;
    for (const ast::Param& param : params)
        function->defaults.push_back(param.default_value ? eval(*param.default_value, environment) : Value::unbound());
    auto* scope = dynamic_cast<Scope*>(&environment);
    function->closure = scope ? scope->closure() : Ref<Environment>(&environment);
    track(*function);
    return function;
}

void FunctionObject::clear() {
    defaults.assign(defaults.size(), Value());
    closure.reset();
    owner.reset();
    attributes.clear();
}

// Decorators are evaluated first, from the top; the script decorator takes the def itself.
void Evaluator::Impl::define_function(const ast::FunctionDef& def, Scope& scope) {
    if (def.is_async)
        fail(DiagId::UnsupportedSyntax, first_word(def.span), "'async'");
    std::vector<Value> decorators;
    for (const ast::Expr* decorator : def.decorators)
        decorators.push_back(eval(*decorator, scope));
    Value value;
    if (!decorators.empty() && decorators.back().extension<ScriptDecorator>()) {
        int errors = sink.error_count();
        value = ir->define_script(def, scope);
        translation_errors += sink.error_count() - errors;
        decorators.pop_back();
    } else {
        Ref<FunctionObject> function = make_function(std::string(def.name.text), def.params, scope, def.name.span);
        function->def = &def;
        auto& layout = layouts[&def];
        if (!layout)
            layout = layout_of(def.params, def.body);
        if (layout->yield.known())
            fail(DiagId::UnsupportedSyntax, first_word(layout->yield), "'yield'");
        if (layout->awaiting.known())
            fail(DiagId::UnsupportedSyntax, first_word(layout->awaiting), "'await'");
        function->layout = layout;
        value = Value::object(ValueKind::Function, std::move(function));
    }
    for (std::size_t i = decorators.size(); i-- > 0;)
        value = apply_decorator(decorators[i], value, def.decorators[i]->span);
    scope.bind(def.name, value);
    if (options.observer)
        options.observer->bound(def.name.span, value);
}

Value Evaluator::Impl::apply_decorator(const Value& decorator, const Value& value, Span span) {
    if (decorator.is(ValueKind::Unknown))
        return decorator;
    return self.call(decorator, {value}, span);
}

void Evaluator::Impl::note_annotation(Scope& scope, const ast::AnnAssign& statement) {
    const auto* name = ast::as<ast::Name>(statement.target);
    if (!name)
        return;
    charge_steps(cost::call, name->span);
    const Value* found = scope.find("__annotations__");
    const bool is_there = found && found->is(ValueKind::Dict);
    const Value annotations =
        is_there ? *found : new_dict(); // held: a key of the script's own may compare with the name
    if (!is_there)
        scope.bind({"__annotations__", name->span}, annotations);
    as_dict(annotations)
        .table.set(self, Value::str(std::string(name->id)),
                   Value::str(std::string(sources.text(statement.annotation->span))), name->span);
}

// What an attribute is looked for in costs as much as the classes above it.
static constexpr int deepest_class = 100;

void Evaluator::Impl::define_class(const ast::ClassDef& def, Scope& scope, Frame& frame) {
    for (const ast::Keyword& keyword : def.keywords)
        fail(DiagId::UnsupportedSyntax, keyword.span,
             keyword.name.text == "metaclass" ? "a metaclass" : "a keyword of a class");
    charge_steps(cost::class_definition, def.name.span);
    std::vector<Value> decorators;
    for (const ast::Expr* decorator : def.decorators)
        decorators.push_back(eval(*decorator, scope));
    Ref<ClassObject> base;
    for (const ast::Expr* expr : def.bases) {
        Value value = eval(*expr, scope);
        want_known(value);
        if (value.extension<TypingForm>()) // Generic[T], Protocol, ABC: say nothing at run time
            continue;
        if (!value.is(ValueKind::Class))
            fail(DiagId::UnsupportedBase, expr->span, cat("'", type_name(value), "'"));
        auto& type = as_class(value);
        if (type.name == "object" && type.is_builtin)
            continue;
        if (base)
            fail(DiagId::UnsupportedBase, expr->span, "several classes");
        if (type.construct && !type.is_exception)
            fail(DiagId::UnsupportedBase, expr->span, cat("'", type.name, "'"));
        if (type.depth >= deepest_class)
            fail(DiagId::UnsupportedBase, expr->span,
                 cat("'", type.name, "', which ", type.depth, " classes are above"));
        base = Ref<ClassObject>(&type);
    }
    Ref<ClassObject> type = new_class(std::string(def.name.text), base);
    type->table.set("__module__", Value::str("__main__"));
    type->table.set("__qualname__", Value::str(type->name));
    type->table.set("__doc__", Value());
    Ref<Scope> body(new Scope(Scope::What::Class, Ref<Environment>(&scope), type, type->table));
    track(*body);
    exec_block(def.body, *body, frame);
    type->table.for_each([&](const std::string&, const Value& value) {
        if (value.is(ValueKind::Function) && !as_function(value).owner)
            as_function(value).owner = type;
        const auto* wrapper = value.extension<MethodWrapper>();
        if (wrapper && wrapper->function.is(ValueKind::Function) && !as_function(wrapper->function).owner)
            as_function(wrapper->function).owner = type;
        if (wrapper && wrapper->setter.is(ValueKind::Function) && !as_function(wrapper->setter).owner)
            as_function(wrapper->setter).owner = type;
    });
    Value value = Value::object(ValueKind::Class, type);
    for (std::size_t i = decorators.size(); i-- > 0;)
        value = apply_decorator(decorators[i], value, def.decorators[i]->span);
    scope.bind(def.name, value);
    if (options.observer)
        options.observer->bound(def.name.span, value);
}

std::unique_ptr<Value> MethodWrapper::attribute(Evaluator&, std::string_view name, Span) {
    if (what != What::Property || (name != "setter" && name != "getter"))
        return nullptr;
    bool is_setter = name == "setter";
    Value getter = function, old_setter = setter;
    return boxed(Value::native(std::string(name), [=](Evaluator&, Args& args, Span span) {
        const Arguments a(args, span, is_setter ? "setter" : "getter", {"function"});
        Ref<MethodWrapper> copy(new MethodWrapper);
        copy->what = What::Property;
        copy->function = is_setter ? getter : a[0];
        copy->setter = is_setter ? a[0] : old_setter;
        return Value::extension(copy);
    }));
}

const Value* ClassObject::find(std::string_view attribute) const {
    for (const ClassObject* at = this; at; at = at->base.get())
        if (const Value* value = at->table.find(attribute))
            return value;
    return nullptr;
}

bool ClassObject::derives_from(const ClassObject& other) const {
    for (const ClassObject* at = this; at; at = at->base.get())
        if (at == &other)
            return true;
    return false;
}

} // namespace hidet::lang
