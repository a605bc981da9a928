// SPDX-License-Identifier: Apache-2.0
// The modules around hidet.lang: which groups of names each of them has.
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/limits.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/mma.h"

namespace hidet::lang {

std::unique_ptr<IrOperations> make_ir_operations(Evaluator& evaluator) {
    return std::make_unique<Operations>(evaluator);
}

Value native_class(Evaluator& evaluator, const std::string& name, NativeFunction make,
                   std::function<bool(const Value&)> holds) {
    Ref<ClassObject>& type = evaluator.impl().native_classes[cat("hidet.ir.", name)];
    if (!type) {
        type = evaluator.impl().new_class(name, nullptr);
        type->is_builtin = true;
        type->holds = std::move(holds);
        type->construct = make ? std::move(make) : [name](Evaluator&, Args& args, Span span) -> Value {
            if (args.asks_signature)
                Arguments(args, span, name, {});
            fail(DiagId::BadType, span, cat("cannot make a '", name, "'"));
        };
    }
    return Value::object(ValueKind::Class, type);
}

Value native_class(Evaluator& evaluator, const FunctionRow& make, std::function<bool(const Value&)> holds) {
    return native_class(evaluator, std::string(make.name), make ? NativeFunction(make) : nullptr, std::move(holds));
}

// Names of another module of ours.
static void export_from(Evaluator& evaluator, HostModule& module, std::string_view home,
                        std::initializer_list<const char*> names) {
    const Value source = evaluator.import(home, {});
    for (const char* name : names)
        module.add(name, evaluator.attribute(source, name, {}));
}

void make_hidet_lang(Evaluator& evaluator, HostModule& module) {
    export_dtypes(module);
    export_types(evaluator, module);
    export_function_class(evaluator, module);
    export_from(evaluator, module, "hidet.ir.expr", {"Constant", "Dereference", "Expr", "Var"});
    export_from(evaluator, module, "hidet.ir.stmt", {"ForStmtAttr"});
    export_memory(module);
    export_loops(module);
    export_expressions(module);
    export_mappings(evaluator, module);
    export_layouts(evaluator, module);
    export_script(module);
}

void make_hidet_lang_types(Evaluator& evaluator, HostModule& module) {
    export_dtypes(module);
    export_types(evaluator, module);
    export_memory(module);
}

void make_hidet_lang_cuda(Evaluator& evaluator, HostModule& module) {
    export_cuda(module);
    export_memory(module);
    export_runtime(evaluator, module);
}

void make_hidet_ir(Evaluator& evaluator, HostModule& module) {
    export_dtypes(module);
    module.function("finfo", float_limits);
    module.function("iinfo", integer_limits);
    export_types(evaluator, module);
    export_memory(module);
    export_symbols(module);
    export_expressions(module);
    export_nodes(evaluator, module);
    export_statements(evaluator, module);
    export_builders(evaluator, module);
    export_function_class(evaluator, module);
    export_ir_module(evaluator, module);
    export_ir_utils(module);
    export_mappings(evaluator, module);
    export_layouts(evaluator, module);
    if (module.name == "hidet.ir" && evaluator.options().graphs) // what computes is a name of graphs, below this module
        module.resolve = [](Evaluator& inner, std::string_view wanted) -> std::unique_ptr<Value> {
            if (wanted != "Task")
                return nullptr;
            return boxed(inner.attribute(inner.import("hidet.ir.task", {}), wanted, {}));
        };
}

// hidet.lang.constructs and below: what the parts of hidet.lang are called at home.
void make_hidet_lang_constructs(Evaluator& evaluator, HostModule& module) {
    export_memory(module);
    export_loops(module);
    export_types(evaluator, module);
}

// What hidet.ir.primitives.cuda.mma calls its table: the configurations by name.
static Value mma_configs(Evaluator& evaluator, const Value& makers) {
    Value dict = evaluator.impl().new_dict();
    const Value all = evaluator.call_method(makers, "all", {});
    for (const Value& config : all.items())
        as_dict(dict).table.set(evaluator, Value::str(config.extension<MmaConfig>()->name()), config, {});
    return dict;
}

void make_hidet_ir_primitives(Evaluator& evaluator, HostModule& module) {
    export_cuda(module);
    module.add("mma_configs", mma_configs(evaluator, *module.table.find("MmaConfig")));
    export_cpu(evaluator, module);
    export_runtime(evaluator, module);
    export_expressions(module);
    export_math(module);
}

} // namespace hidet::lang
