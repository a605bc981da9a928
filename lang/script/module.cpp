// SPDX-License-Identifier: Apache-2.0
#include "lang/script/module.h"

#include <algorithm>

#include "compiler/ir/structure.h"
#include "lang/host/arguments.h"
#include "lang/host/build_request.h"
#include "lang/host/compiled_module.h"
#include "lang/script/modules/ir_module.h"
#include "lang/script/operations.h"

namespace hidet::lang {

namespace {

Ref<TranslatedFunction> function_of(const Value& value) {
    return Ref<TranslatedFunction>(static_cast<TranslatedFunction*>(value.object()));
}

template <class T>
void add_once(std::vector<T>& list, const T& item) {
    if (std::ranges::find(list, item) == list.end())
        list.push_back(item);
}

} // namespace

std::span<const Member<ScriptModule>> ScriptModule::members() {
    using M = ScriptModule&;
    static constexpr Member<ScriptModule> rows[] = {
        {"append_function",
         {"function"},
         [](M self, Evaluator& evaluator, const Arguments& a, Span) {
             if (!a[0].is(ValueKind::ScriptFunction))
                 a.wrong_type(0, "a script function");
             self.define(function_of(a[0]), evaluator.sink());
             return Value();
         }},
        {"build",
         {"*", "output_dir=", "target="},
         [](M self, Evaluator& evaluator, const Arguments& a, Span span) {
             ir::ModuleRef module = self.ir_module(span, evaluator);
             if (!module)
                 return Value::unknown();
             return build_module(evaluator, module, build_request(evaluator, *module, a, 0, 1), span);
         }},
        {"declare_extern_func",
         {"name", "param_types", "ret_type"},
         [](M self, Evaluator&, const Arguments& a, Span span) {
             if (!is_sequence(a[1]))
                 a.wrong_type(1, "a list of types");
             std::vector<ir::TypeRef> params;
             for (const Value& item : a[1].items())
                 params.push_back(to_type(item, a.span(1)));
             ir::TypeRef ret = a[2].is(ValueKind::None) ? ir::void_type() : to_type(a[2], a.span(2));
             need_extern_function(a.str(0), a.span(0));
             ir::VarRef var = var_at(span, a.str(0), ir::func_type(std::move(params), ret));
             self.m_externs.push_back(var);
             return Value::expr(var);
         }},
        {"define_global_var",
         {"name", "var_type"},
         [](M self, Evaluator& evaluator, const Arguments& a, Span span) {
             need_name(a.str(0), a.span(0));
             ir::VarRef var = var_at(span, a.str(0), to_type(a[1], a.span(1)));
             self.m_globals.push_back(var);
             Operations::of(evaluator).note_global(var);
             return Value::expr(var);
         }},
        {"ir_module",
         {},
         [](M self, Evaluator& evaluator, const Arguments&, Span span) {
             ir::ModuleRef module = self.ir_module(span, evaluator);
             return module ? ir_module_of(evaluator, *module, span) : Value::unknown();
         }},
        {"lookup",
         {"name"},
         [](M self, Evaluator&, const Arguments& a, Span) {
             for (const auto& function : self.m_functions)
                 if (function->name == a.str(0))
                     return Value::object(ValueKind::ScriptFunction, Ref<Object>(function));
             std::vector<std::string> names;
             for (const auto& function : self.m_functions)
                 names.push_back(function->name);
             throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownFunction, a.span(0), a.str(0))
                                       .suggest(a.span(0), a.str(0), names));
         }},
    };
    return rows;
}

std::unique_ptr<Value> ScriptModule::enter(Evaluator& evaluator, Span) {
    Operations::of(evaluator).open(Ref<ScriptModule>(this));
    return boxed(Value::extension(Ref<NativeObject>(this)));
}

void ScriptModule::exit(Evaluator& evaluator, Span span) {
    Operations::of(evaluator).close(span);
}

const TranslatedFunction* ScriptModule::find(std::string_view name) const {
    for (const auto& function : m_functions)
        if (function->name == name)
            return function.get();
    return nullptr;
}

void ScriptModule::add(const Ref<TranslatedFunction>& function) {
    for (const auto& callee : function->callees)
        import(callee);
    m_functions.push_back(function);
    for (const ir::VarRef& global : function->globals)
        add_global(global);
    for (const ir::VarRef& external : function->externs)
        add_extern(external);
}

void ScriptModule::add_global(const ir::VarRef& var) {
    add_once(m_globals, var);
}

void ScriptModule::add_extern(const ir::VarRef& var) {
    add_once(m_externs, var);
}

void ScriptModule::define(const Ref<TranslatedFunction>& function, DiagnosticSink& sink) {
    if (const TranslatedFunction* old = find(function->name); old && old != function.get()) {
        sink.report(Diagnostic::make(DiagId::ScriptDuplicateFunction, function->span, function->name)
                        .note(old->span, "the first one is here"));
        m_refused = true;
        return;
    }
    add(function);
}

bool ScriptModule::import(const Ref<TranslatedFunction>& function) {
    if (const TranslatedFunction* old = find(function->name))
        return old == function.get();
    add(function);
    return true;
}

ir::ModuleRef ScriptModule::translated() const {
    ir::Module module;
    for (const auto& function : m_functions)
        if (function->function)
            module.functions.push_back(function->function);
    if (module.functions.empty())
        return nullptr;
    module.globals = m_globals;
    module.externs = m_externs;
    return ir::make<ir::Module>(std::move(module));
}

ir::ModuleRef ScriptModule::ir_module(Span span, Evaluator& evaluator) {
    if (m_functions.empty()) {
        evaluator.sink().report(DiagId::ScriptEmptyModule, span);
        return nullptr;
    }
    const bool is_whole = !m_refused && std::ranges::all_of(m_functions, [](const auto& function) {
        return function->function != nullptr;
    });
    if (!is_whole && evaluator.in_preview())
        return nullptr;
    if (!is_whole)
        throw DiagnosticError(Diagnostic{}); // its functions have been reported
    m_taken = true;
    return translated();
}

} // namespace hidet::lang
