// SPDX-License-Identifier: Apache-2.0
#include "lang/script/modules/ir_module.h"

#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/host/arguments.h"
#include "lang/host/build_request.h"
#include "lang/host/interpreter.h"
#include "lang/script/modules/builders.h"
#include "lang/script/modules/exports.h"

namespace hidet::lang {

namespace {

Ref<TranslatedFunction> function_argument(const Value& value, Span span) {
    want_known(value);
    if (!value.is(ValueKind::ScriptFunction))
        fail(DiagId::WrongArgumentType, span, "IRModule", "script functions", "functions", type_name(value));
    return Ref<TranslatedFunction>(static_cast<TranslatedFunction*>(value.object()));
}

void add_to(Evaluator& evaluator, const Value& dict, const std::string& name, Value function, Span span) {
    as_dict(dict).table.set(evaluator, Value::str(name), std::move(function), span);
}

ir::VarVec variables(Evaluator& evaluator, const Value& value, Span span) {
    ir::VarVec out;
    if (value.is(ValueKind::Dict)) {
        for (const ValueTable::Entry& entry : as_dict(value).table.living())
            out.push_back(to_var(entry.value, span));
    } else if (!value.is(ValueKind::None)) {
        for (const Value& item : evaluator.iterate(value, span))
            out.push_back(to_var(item, span));
    }
    return out;
}

Value by_name(Evaluator& evaluator, const ir::VarVec& vars, Span span) {
    Value dict = evaluator.impl().new_dict();
    for (const ir::VarRef& var : vars)
        add_to(evaluator, dict, var->name, Value::expr(var), span);
    return dict;
}

Value make_ir_module(Evaluator& evaluator, const Arguments& a, Span) {
    for (std::size_t i = 4; i <= 8; ++i) // of a C++ compiler that nobody runs
        if (a.given(i) && a[i].is(ValueKind::List) && !a[i].items().empty())
            fail(DiagId::RefusedFunction, a.span(i), "IRModule", "modules are compiled without other people's code");
    Value functions = evaluator.impl().new_dict();
    if (a.or_none(0).is(ValueKind::Dict)) {
        for (const ValueTable::Entry& entry : as_dict(a[0]).table.living())
            add_to(evaluator, functions, function_argument(entry.value, a.span(0))->name, entry.value, a.span(0));
    } else if (a.has(0)) {
        a.wrong_type(0, "a dict of functions by name");
    }
    Ref<IrModule> module(new IrModule(functions));
    module->globals = variables(evaluator, a.or_none(1), a.span(1));
    module->externs = variables(evaluator, a.or_none(3), a.span(3));
    for (const ir::VarRef& var : module->externs)
        need_extern_function(var->name, a.span(3));
    module->set_attribute(evaluator, "namespace", a.given(2) ? a[2] : Value::str(""), a.span(2));
    module->set_attribute(evaluator, "task", a.or_none(9), a.span(9));
    return Value::extension(module);
}

// Passes run when a module is built; before that they have nothing to say.
Value make_pass(Evaluator&, const Arguments&, Span) {
    return Value::native("inline_function_pass", {"ir_module"}, [](Evaluator&, const Arguments& a, Span) {
        if (!a[0].is(ValueKind::Unknown) && !a[0].extension<IrModuleValue>())
            a.wrong_type(0, "an IR module");
        return a[0];
    });
}

} // namespace

std::string IrModule::repr() const {
    std::string out;
    for (const ValueTable::Entry& entry : as_dict(m_functions).table.living()) {
        const auto* object = entry.value.is(ValueKind::ScriptFunction)
                                 ? static_cast<const ScriptFunctionObject*>(entry.value.object())
                                 : nullptr;
        if (object && object->function)
            out += (out.empty() ? "" : "\n") + ir::print_function(*object->function).text;
    }
    return out.empty() ? "<IRModule>" : out;
}

bool IrModule::set_attribute(Evaluator&, std::string_view name, const Value& value, Span span) {
    if (name == "task")
        m_task = value;
    else if (name == "namespace")
        m_namespace = to_text(value, span, "a namespace");
    else
        return false;
    return true;
}

void IrModule::fill(ScriptModule& out, Span span) const {
    for (const ValueTable::Entry& entry : as_dict(m_functions).table.living()) {
        const Ref<TranslatedFunction> function = function_argument(entry.value, span);
        if (!out.import(function))
            fail(DiagId::ScriptAmbiguousFunction, span, function->name);
    }
    for (const ir::VarRef& global : globals)
        out.add_global(global);
    for (const ir::VarRef& external : externs)
        out.add_extern(external);
}

ir::ModuleRef IrModule::module(Span site, Evaluator& evaluator) const {
    ScriptModule all;
    fill(all, site);
    return all.ir_module(site, evaluator);
}

std::span<const Member<IrModule>> IrModule::members() {
    using M = IrModule&;
    static constexpr Member<IrModule> rows[] = {
        {"add_function",
         {"name", "func"},
         [](M self, Evaluator& evaluator, const Arguments& a, Span call) {
             function_argument(a[1], a.span(1));
             if (as_dict(self.m_functions).table.find(evaluator, a[0], a.span(0)))
                 fail(DiagId::BadValue, a.span(0), cat("the module has a function '", a.str(0), "'"));
             add_to(evaluator, self.m_functions, a.str(0), a[1], call);
             return Value();
         }},
        {"build",
         {"*", "output_dir=", "target="},
         [](M self, Evaluator& evaluator, const Arguments& a, Span call) {
             const ir::ModuleRef module = self.module(call, evaluator);
             if (!module)
                 return Value::unknown();
             return build_module(evaluator, module, build_request(evaluator, *module, a, 0, 1), call);
         }},
        {"copy",
         {},
         [](M self, Evaluator& evaluator, const Arguments&, Span call) {
             Value functions = evaluator.impl().new_dict();
             for (const ValueTable::Entry& entry : as_dict(self.m_functions).table.living())
                 as_dict(functions).table.set(evaluator, entry.key, entry.value, call);
             Ref<IrModule> copy(new IrModule(functions));
             copy->globals = self.globals;
             copy->externs = self.externs;
             copy->m_task = self.m_task;
             copy->m_namespace = self.m_namespace;
             return Value::extension(copy);
         }},
        {"extern_functions",
         [](M self, Evaluator& evaluator, Span span) { return by_name(evaluator, self.externs, span); }},
        {"functions", [](const IrModule& self) { return self.m_functions; }},
        {"global_vars", [](M self, Evaluator& evaluator, Span span) { return by_name(evaluator, self.globals, span); }},
        {"lookup_var",
         {"name"},
         [](M self, Evaluator&, const Arguments& a, Span) {
             for (const ir::VarVec* vars : {&self.globals, &self.externs})
                 for (const ir::VarRef& var : *vars)
                     if (var->name == a.str(0))
                         return Value::expr(var);
             fail(DiagId::ScriptUnknownFunction, a.span(0), a.str(0));
         }},
        {"namespace", [](const IrModule& self) { return Value::str(self.m_namespace); }},
        {"task", [](const IrModule& self) { return self.m_task; }},
    };
    return rows;
}

Value ir_module_of(Evaluator& evaluator, const ir::Module& module, Span span) {
    Value functions = evaluator.impl().new_dict();
    for (const ir::FunctionRef& function : module.functions) {
        Ref<TranslatedFunction> made(new TranslatedFunction);
        made->name = function->name;
        made->function = function;
        made->span = function->origin.span;
        add_to(evaluator, functions, function->name, Value::object(ValueKind::ScriptFunction, made), span);
    }
    Ref<IrModule> out(new IrModule(functions));
    out->globals = module.globals;
    out->externs = module.externs;
    return Value::extension(out);
}

void export_ir_module(Evaluator& evaluator, HostModule& module) {
    module.add("IRModule",
               native_class(evaluator,
                            {"IRModule",
                             {"functions=", "global_vars=", "namespace=", "extern_functions=", "include_headers=",
                              "include_dirs=", "linking_dirs=", "linking_libs=", "object_files=", "task="},
                             make_ir_module},
                            [](const Value& value) { return value.extension<IrModuleValue>() != nullptr; }));
}

void make_hidet_transforms(Evaluator&, HostModule& module) {
    module.function("inline_function_pass", {}, make_pass);
    module.refusal = [](std::string_view) { return std::string("passes run when a module is built"); };
}

} // namespace hidet::lang
