// SPDX-License-Identifier: Apache-2.0
#include "lang/service/catalog.h"

#include <algorithm>

#include "compiler/ir/dtype.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "lang/host/arguments.h"
#include "lang/host/compiled_module.h"
#include "lang/host/interpreter.h"
#include "lang/host/methods.h"
#include "lang/host/modules.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/typing.h"
#include "lang/script/module.h"
#include "lang/script/modules/ir_module.h"
#include "lang/script/objects.h"
#include "lang/script/operations.h"

namespace hidet::lang::service {

namespace {

// A method is asked like a function: with an object of its kind, and for its signature.
Value sample_of(ValueKind kind, Evaluator& evaluator) {
    switch (kind) {
    case ValueKind::Str: return Value::str("");
    case ValueKind::List: return evaluator.new_list({});
    case ValueKind::Tuple: return Value::tuple({});
    case ValueKind::Int: return Value::integer(0);
    case ValueKind::Float: return Value::real(0);
    case ValueKind::Dict: return evaluator.impl().new_dict();
    case ValueKind::Set: return evaluator.impl().new_set();
    case ValueKind::Range: return Value::object(ValueKind::Range, Ref<Object>(new RangeObject));
    case ValueKind::Tensor: {
        TensorRef tensor(new Tensor);
        tensor->shape = {1, 1};
        return Value::tensor(tensor);
    }
    case ValueKind::Expr: return Value::expr(ir::int_constant(1));
    case ValueKind::Type: return Value::type(ir::data_type(ir::DType::F32));
    case ValueKind::Layout: return Value::layout(ir::row_major({ir::int_constant(4), ir::int_constant(4)}));
    case ValueKind::Mapping: return Value::mapping(ir::spatial({ir::int_constant(4)}));
    default: return Value();
    }
}

Value tensor_variable() {
    ir::TypeRef type = ir::tensor_type(ir::data_type(ir::DType::F32), {ir::int_constant(4), ir::int_constant(4)});
    return Value::expr(ir::make_var("tensor", type));
}

EvalOptions preview_options() {
    EvalOptions options;
    options.mode = Mode::Preview;
    options.max_steps = 1'000'000;
    return options;
}

CatalogEntry entry(std::string path, std::string_view name, ItemKind kind) {
    CatalogEntry out;
    out.name = name;
    out.kind = kind;
    out.documentation = documentation_of(path);
    out.path = std::move(path);
    return out;
}

ItemKind kind_in(std::string_view owner, const Value& value) {
    bool in_hidet = owner.starts_with("hidet");
    switch (value.kind()) {
    case ValueKind::Native:
        return owner == "builtins" ? ItemKind::Builtin : in_hidet ? ItemKind::Primitive : ItemKind::Function;
    case ValueKind::Class:
        if (as_class(value).is_exception)
            return ItemKind::Exception;
        return owner == "builtins" ? ItemKind::Type : ItemKind::Class;
    case ValueKind::Type: return ItemKind::Type;
    case ValueKind::Module: return ItemKind::Module;
    case ValueKind::Extension: return in_hidet ? ItemKind::Primitive : ItemKind::Class;
    case ValueKind::Function: return ItemKind::Function;
    default: return ItemKind::Constant;
    }
}

std::string describe(ir::DType dtype) {
    const ir::DTypeInfo& about = ir::info(dtype);
    const char* what = "";
    switch (about.cls) {
    case ir::DTypeClass::Bool: return "Truth values, a byte each.";
    case ir::DTypeClass::Int:
    case ir::DTypeClass::SubInt: what = "signed integers"; break;
    case ir::DTypeClass::UInt:
    case ir::DTypeClass::SubUInt: what = "unsigned integers"; break;
    case ir::DTypeClass::Float: what = "floating-point numbers"; break;
    case ir::DTypeClass::Complex: what = "complex numbers"; break;
    case ir::DTypeClass::Vector:
        return cat("Vectors of ", about.lanes, " ", ir::info(about.lane).short_name, " values, ", about.bits, " bits.");
    }
    bool is_packed = ir::is_subbyte(dtype);
    return cat("Data type ", about.short_name, ": ", what, " of ", about.bits, " bits",
               is_packed ? cat(", packed into ", ir::info(about.storage).short_name) : "", ".");
}

} // namespace

class CatalogBuilder {
public:
    CatalogBuilder() : m_evaluator(m_sources, m_sink, preview_options(), nullptr) {}

    Catalog build() {
        Evaluator::Impl& impl = m_evaluator.impl();
        impl.begin_stack();
        for (const ModuleRow& row : module_rows())
            module(row);
        CatalogEntry builtins = entry("builtins", "builtins", ItemKind::Module);
        impl.builtins.for_each([&](const std::string& name, const Value& value) {
            value_entry("builtins", name, value, 0);
            builtins.members.push_back(name);
        });
        add(std::move(builtins));
        static constexpr std::pair<const char*, ValueKind> with_methods[] = {
            {"str", ValueKind::Str},     {"list", ValueKind::List},   {"tuple", ValueKind::Tuple},
            {"dict", ValueKind::Dict},   {"set", ValueKind::Set},     {"int", ValueKind::Int},
            {"float", ValueKind::Float}, {"range", ValueKind::Range}, {"Tensor", ValueKind::Tensor}};
        for (const auto& [name, kind] : with_methods)
            methods(name, kind);
        ir_kind("scalar", sample_of(ValueKind::Expr, m_evaluator));
        ir_kind("tensor", tensor_variable());
        ir_kind("type", sample_of(ValueKind::Type, m_evaluator));
        ir_kind("layout", sample_of(ValueKind::Layout, m_evaluator));
        ir_kind("mapping", sample_of(ValueKind::Mapping, m_evaluator));
        CatalogEntry function = entry("script function", "script function", ItemKind::Kernel);
        for (const char* name : {"kind", "name"})
            add_to(function, entry(function.path + "." + name, name, ItemKind::Attribute));
        add(std::move(function));
        object_kind(new_extension<ScriptModule>());
        ir::ModuleRef empty = ir::make<ir::Module>(ir::Module());
        object_kind(new_extension<CompiledModule>(empty, nullptr, Span()));
        object_kind(new_extension<IrModule>(impl.new_dict()));
        object_kind(function_builder());
        for (auto& [path, made] : m_catalog.m_entries)
            complete(made);
        return std::move(m_catalog);
    }

private:
    void add(CatalogEntry made) {
        std::string path = made.path;
        m_catalog.m_entries.insert_or_assign(std::move(path), std::move(made));
    }
    void add_to(CatalogEntry& owner, CatalogEntry member) {
        owner.members.push_back(member.name);
        add(std::move(member));
    }

    Value function_builder() {
        const Value type = m_evaluator.attribute(m_evaluator.import("hidet.ir.builders", {}), "FunctionBuilder", {});
        return m_evaluator.call(type, {Value::str("function"), Value::str("cpu_kernel")}, {});
    }

    // Modules of one maker hold the same: the many homes of what kernels call are copies of the first one.
    bool copy_names(std::string_view path, std::string_view first, const std::vector<std::string>& names) {
        const CatalogEntry* source = m_catalog.find(first);
        if (!source)
            return false;
        for (const std::string& name : names)
            if (!m_catalog.member(first, name))
                return false;
        for (const std::string& name : names)
            copy_entry(*m_catalog.member(first, name), std::string(path) + "." + name);
        return true;
    }
    void copy_entry(const CatalogEntry& source, const std::string& path) {
        CatalogEntry copy = source;
        copy.path = path;
        for (const std::string& member : source.members)
            if (const CatalogEntry* inner = m_catalog.member(source.path, member))
                copy_entry(*inner, path + "." + member);
        add(std::move(copy));
    }

    void module(const ModuleRow& row) {
        std::string_view path = row.name;
        Value value = m_evaluator.import(path, {});
        HostModule& module = as_module(value);
        if (module.resolve_all)
            module.resolve_all(m_evaluator);
        CatalogEntry made = entry(std::string(path), path.substr(path.rfind('.') + 1), ItemKind::Module);
        made.type = "module";
        std::vector<std::pair<std::string, Value>> table;
        module.table.for_each([&](const std::string& name, const Value& value) { table.emplace_back(name, value); });
        std::erase_if(table, [](const auto& row) {
            return row.first.starts_with("__") && row.first != "__version__" && row.first != "__builtin_assume";
        });
        std::vector<std::string> own;
        for (const auto& [name, value] : table) {
            made.members.push_back(name);
            if (!value.is(ValueKind::Module))
                own.push_back(name);
        }
        const char* first = m_first_of.try_emplace(row.make, row.name).first->second;
        if (first == row.name || !copy_names(path, first, own))
            for (const auto& [name, value] : table)
                if (!value.is(ValueKind::Module))
                    value_entry(path, name, value, 0);
        for (const std::string& name : m_evaluator.impl().attribute_names(value))
            if (std::ranges::find(made.members, name) == made.members.end() && name.find('.') == std::string::npos)
                made.members.push_back(name); // modules below
        add(std::move(made));
    }

    void value_entry(std::string_view owner, const std::string& name, const Value& value, int depth) {
        CatalogEntry made = entry(std::string(owner) + "." + name, name, kind_in(owner, value));
        if (value.is(ValueKind::Native)) {
            ask_function(value, made);
        } else if (value.is(ValueKind::Class)) {
            class_members(made, as_class(value));
        } else if (value.is(ValueKind::Extension)) {
            extension(made, value, depth);
        } else {
            made.type = type_name(value);
        }
        if (value.is(ValueKind::Type))
            made.type = "type";
        if (value.extension<TypingForm>() && made.documentation.empty())
            made.documentation = "A form of annotation: it says nothing at run time.";
        if (value.is(ValueKind::Type) && made.documentation.empty())
            if (auto dtype = ir::scalar_of(value.as_type()))
                made.documentation = describe(*dtype);
        add(std::move(made));
    }

    // What scripts call on a class, and what those take that derive from it.
    void class_members(CatalogEntry& made, const ClassObject& type) {
        made.is_callable = true;
        if (type.construct)
            ask([&](Args& args) { type.construct(m_evaluator, args, {}); }, made);
        else if (const Value* init = type.table.find("__init__"))
            ask_function(*init, made);
        type.table.for_each([&](const std::string& name, const Value& value) {
            if (name.starts_with("__"))
                return;
            const auto* wrapper = value.extension<MethodWrapper>();
            CatalogEntry member = entry(made.path + "." + name, name, ItemKind::Method);
            ask_function(wrapper ? wrapper->function : value, member);
            add_to(made, std::move(member));
        });
    }

    // Of a method the parameters that calls give.
    void ask_function(const Value& function, CatalogEntry& made) {
        if (!function.is(ValueKind::Native))
            return;
        ask([&](Args& args) { static_cast<NativeFunctionObject*>(function.object())->function(m_evaluator, args, {}); },
            made);
        if (!made.parameters.empty() && made.parameters.front() == "self")
            made.parameters.erase(made.parameters.begin());
    }

    void extension(CatalogEntry& made, const Value& value, int depth) {
        auto* object = static_cast<NativeObject*>(value.object());
        made.type = object->type_name();
        if (const auto* refused = value.extension<UnsupportedObject>()) {
            made.is_callable = made.is_refused = true;
            made.type.clear();
            made.documentation = refused->sentence.empty()
                                     ? "Exists in Hidet's language; this compiler cannot translate it yet."
                                     : cat("Exists in Hidet's language and is refused here: ", refused->sentence, ".");
            return;
        }
        if (depth > 1)
            return;
        for (const std::string& name : object->attributes()) {
            made.members.push_back(name);
            Value member;
            try {
                if (auto found = object->attribute(m_evaluator, name, {}))
                    member = *found;
            } catch (...) { // it exists in a kernel only
            }
            value_entry(made.path, name, member, depth + 1);
            CatalogEntry& inner = m_catalog.m_entries.find(made.path + "." + name)->second;
            if (inner.kind == ItemKind::Variable || inner.kind == ItemKind::Constant)
                inner.kind = ItemKind::Attribute;
            if (inner.type == "NoneType")
                inner.type.clear();
            if (std::string_view own = documentation_of(made.type + "." + name); !own.empty())
                inner.documentation = own;
        }
        bool is_callable = true;
        ask([&](Args& args) { is_callable = object->call(m_evaluator, args, {}) != nullptr; }, made);
        if (!made.knows_parameters || !is_callable)
            made.is_callable = made.knows_parameters = false;
        if (dynamic_cast<ScriptDecorator*>(object)) {
            made.is_callable = true;
            made.type.clear();
        }
    }

    template <class F>
    void ask(F&& call, CatalogEntry& made) {
        made.is_callable = true;
        Args args;
        args.asks_signature = true;
        try {
            call(args);
            made.knows_parameters = true; // it did its work with nothing
        } catch (const SignatureAnswer& answer) {
            made.parameters = answer.parameters;
            made.knows_parameters = true;
        } catch (const DiagnosticError& error) {
            if (error.diagnostic.id == DiagId::RefusedFunction ||
                error.diagnostic.id == DiagId::ScriptNotSupportedYet) {
                made.is_refused = true;
                made.documentation = cat("Refused: ", error.diagnostic.message, ".");
            }
        } catch (...) { // it looks at its arguments by itself
        }
        m_evaluator.impl().call_depth = 0;
    }

    // Functions that look at their arguments by themselves: what they take stands in tables.
    void complete(CatalogEntry& made) {
        if (!made.parameters.empty() || !made.is_callable || made.is_refused)
            return;
        auto words = parameters_of(made.path);
        if (!words && made.kind == ItemKind::Exception)
            words = "*args";
        auto method = m_catalog.m_entries.find("Tensor." + made.name);
        bool of_tensors = made.path.starts_with("torch.") || made.path.starts_with("hidet.ops") ||
                          made.path.starts_with("hidet.graph.ops");
        if (!words && of_tensors && method != m_catalog.m_entries.end() && method->second.knows_parameters) {
            made.parameters = method->second.parameters;
            made.parameters.insert(made.parameters.begin(), "input");
            made.knows_parameters = true;
        }
        if (!words)
            return;
        made.knows_parameters = true;
        for (const std::string& word : split(*words, ' '))
            if (!word.empty())
                made.parameters.push_back(word);
    }

    void methods(const std::string& owner, ValueKind kind) {
        CatalogEntry made = entry(owner, owner, ItemKind::Type);
        Value sample = sample_of(kind, m_evaluator);
        for (const MethodRow& row : methods_of(kind)) {
            CatalogEntry method = entry(owner + "." + std::string(row.name), row.name, ItemKind::Method);
            ask([&](Args& args) { row(m_evaluator, sample, args, {}); }, method);
            add_to(made, std::move(method));
        }
        if (kind == ValueKind::Tensor)
            for (const std::string& name : tensor_attribute_names())
                if (!m_catalog.member(owner, name))
                    add_to(made, entry(owner + "." + name, name, ItemKind::Attribute));
        add(std::move(made));
    }

    void ir_kind(const std::string& owner, const Value& sample) {
        CatalogEntry made = entry(owner, owner, ItemKind::Type);
        for (const std::string& name : attribute_names(sample)) {
            if (m_catalog.member(owner, name))
                continue;
            CatalogEntry member = entry(owner + "." + name, name, ItemKind::Attribute);
            try {
                Value value = m_evaluator.ir().attribute(sample, name, {});
                if (value.is(ValueKind::Native)) {
                    member.kind = ItemKind::Method;
                    ask_function(value, member);
                }
            } catch (...) { // not of this sample
            }
            add_to(made, std::move(member));
        }
        add(std::move(made));
    }

    // Objects of ours that scripts hold: what can be done with them.
    void object_kind(const Value& sample) {
        auto* object = static_cast<NativeObject*>(sample.object());
        CatalogEntry made = entry(object->type_name(), object->type_name(), ItemKind::Class);
        extension(made, sample, 0);
        for (const std::string& name : made.members) {
            CatalogEntry& member = m_catalog.m_entries.find(made.path + "." + name)->second;
            if (member.is_callable)
                member.kind = ItemKind::Method;
        }
        made.is_callable = false;
        add(std::move(made));
    }

    std::map<ModuleMaker, const char*> m_first_of; // only looked up
    SourceMap m_sources;
    DiagnosticSink m_sink;
    Evaluator m_evaluator;
    Catalog m_catalog;
};

void learn_language() {
    Catalog::get();
}

const Catalog& Catalog::get() {
    static const Catalog catalog = CatalogBuilder().build();
    return catalog;
}

const CatalogEntry* Catalog::find(std::string_view path) const {
    auto found = m_entries.find(path);
    return found == m_entries.end() ? nullptr : &found->second;
}

const CatalogEntry* Catalog::member(std::string_view owner, std::string_view name) const {
    return find(std::string(owner) + "." + std::string(name));
}

std::string kind_of_value(const Value& value) {
    switch (value.kind()) {
    case ValueKind::Str: return "str";
    case ValueKind::List: return "list";
    case ValueKind::Tuple: return "tuple";
    case ValueKind::Dict: return "dict";
    case ValueKind::Set: return "set";
    case ValueKind::Bool:
    case ValueKind::Int: return "int";
    case ValueKind::Float: return "float";
    case ValueKind::Range: return "range";
    case ValueKind::Tensor: return "Tensor";
    case ValueKind::Type: return "type";
    case ValueKind::Layout: return "layout";
    case ValueKind::Mapping: return "mapping";
    case ValueKind::ScriptFunction: return "script function";
    case ValueKind::Expr: return ir::tensor_of(value.as_expr()->type) ? "tensor" : "scalar";
    default: return "";
    }
}

std::string signature_text(const CatalogEntry& entry, std::vector<SignatureParameter>* parameters) {
    std::string out = entry.name + "(";
    if (!entry.knows_parameters)
        return out + "...)";
    bool first = true;
    for (std::string_view parameter : entry.parameters) {
        if (!first)
            out += ", ";
        first = false;
        auto begin = static_cast<std::uint32_t>(out.size());
        if (parameter == "**")
            out += "**options";
        else if (parameter.ends_with('='))
            out += std::string(parameter) + "...";
        else
            out += parameter;
        std::string name(parameter.substr(0, parameter.find('=')));
        name.erase(0, std::min(name.find_first_not_of('*'), name.size()));
        if (parameters && parameter != "*")
            parameters->push_back({{begin, static_cast<std::uint32_t>(out.size())}, name});
    }
    return out + ")";
}

} // namespace hidet::lang::service
