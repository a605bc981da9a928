// SPDX-License-Identifier: Apache-2.0
// Functions: their names and parameters, types, and what is known of their variables before they are written.
#include <algorithm>

#include "compiler/codegen/text/emitter.h"
#include "compiler/ir/family.h"
#include "compiler/ir/names.h"
#include "compiler/ir/rewrite.h"
#include "lang/base/check.h"

namespace hidet::compiler::text {

using namespace ir;

namespace {

// ASCII only, no names that C++ keeps for itself (two underscores, or one before a capital letter).
std::string as_identifier(std::string_view hint) {
    constexpr std::size_t longest = 128;
    std::string name;
    for (char c : hint.substr(0, longest)) {
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (is_word || name.empty() || name.back() != '_')
            name += is_word ? c : '_';
    }
    bool is_kept = name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '_';
    return is_kept ? "v" + name : name;
}

// Pointer parameters that are only read through are pointers to const.
class ReadOnlyPointers : public Walker {
public:
    explicit ReadOnlyPointers(const Function& function, const Module& module) : m_module(module) {
        for (const VarRef& param : function.params)
            if (const auto* pointer = as<PointerType>(param->type); pointer && scalar_of(pointer->base))
                found.insert(param.get());
        walk(NodeRef(function.body));
    }
    std::unordered_set<const Var*> found;

protected:
    using Walker::visit;
    void visit(const Var& var) override { found.erase(&var); } // any use that is not the base of an element
    void visit(const TensorElement& e) override {
        if (e.base->kind != Kind::Var)
            walk(*e.base);
        for (const ExprRef& index : e.indices)
            walk(*index);
    }
    void visit(const Address& e) override { written(e.place); }
    void visit(const Call& e) override {
        const Function* callee = find_function(m_module, e.callee);
        for (std::size_t i = 0; i < e.args.size(); ++i) {
            bool is_place =
                !callee || i >= callee->params.size() || callee->params[i]->type->kind == Kind::ReferenceType;
            is_place ? written(e.args[i]) : walk(*e.args[i]);
        }
    }
    void visit(const AsmStmt& s) override {
        for (const ExprRef& output : s.outputs)
            written(output);
        for (const ExprRef& input : s.inputs)
            walk(*input);
    }

private:
    void written(const ExprRef& place) {
        if (const auto* element = as<TensorElement>(place); element && element->base->kind == Kind::Var)
            found.erase(static_cast<const Var*>(element->base.get()));
        walk(*place);
    }
    const Module& m_module;
};

constexpr std::int64_t register_bytes = 1024; // a thread has 255 registers

// Variables that choose an element of a small local array, themselves or through the lets between. In a loop over such a variable
// the array can only stay in registers when the loop is unrolled.
class ArrayIndices : public Walker {
public:
    explicit ArrayIndices(const Function& function) {
        walk(NodeRef(function.body));
        while (!m_pending.empty()) {
            const Expr* index = m_pending.back();
            m_pending.pop_back();
            m_in_index = true;
            walk(*index);
            m_in_index = false;
        }
    }
    std::unordered_set<const Var*> found;
    std::unordered_set<const Var*> addressed; // arrays that are not only a base of elements

protected:
    using Walker::visit;
    void define(const Var&) override {}
    void visit(const Var& var) override {
        if (!m_in_index && m_arrays.contains(&var))
            addressed.insert(&var);
        if (!m_in_index || !found.insert(&var).second)
            return;
        if (auto let = m_lets.find(&var); let != m_lets.end())
            m_pending.push_back(let->second);
    }
    void visit(const DeclareStmt& s) override {
        if (is_array(s.var->type) && s.scope != Scope::Shared && s.scope != Scope::Global) {
            m_arrays.insert(s.var.get());
            std::int64_t bytes = size_in_bytes(s.var->type);
            if (bytes > 0 && bytes <= register_bytes)
                m_small.insert(s.var.get());
        }
        if (s.is_let && s.init)
            m_lets.emplace(s.var.get(), s.init.get());
        if (s.init)
            walk(*s.init);
    }
    void visit(const TensorElement& e) override { element(e.base, e.indices); }
    void visit(const StoreStmt& s) override {
        element(s.base, s.indices);
        walk(*s.value);
    }
    void visit(const Address& e) override {
        if (const auto* place = as<TensorElement>(e.place); place && place->base->kind == Kind::Var)
            walk(*place->base);
        walk(*e.place);
    }

private:
    void element(const ExprRef& base, const ExprVec& indices) {
        const auto* var = as<Var>(base);
        bool is_local = var && m_arrays.contains(var);
        if (!is_local)
            walk(*base);
        for (const ExprRef& index : indices) {
            if (is_local && !m_in_index && m_small.contains(var))
                m_pending.push_back(index.get());
            walk(*index);
        }
    }
    std::unordered_set<const Var*> m_arrays, m_small;
    std::unordered_map<const Var*, const Expr*> m_lets;
    std::vector<const Expr*> m_pending;
    bool m_in_index = false;
};

} // namespace

std::string Names::add(std::string_view hint) {
    std::string base = as_identifier(hint);
    int& number = m_numbers[base];
    int before = number;
    std::string name = base;
    while (m_used.contains(name) || m_reserved.contains(name))
        name = base + "_" + std::to_string(++number);
    m_used.insert(name);
    m_trail.push_back({name, std::move(base), before});
    return name;
}

const std::string& Names::define(const Var& var) {
    return m_of[&var] = add(var.name);
}

const std::string& Names::of(const Var& var) {
    auto found = m_of.find(&var);
    return found == m_of.end() ? define(var) : found->second;
}

void Names::restore(std::size_t mark) {
    while (m_trail.size() > mark) {
        m_used.erase(m_trail.back().name);
        m_numbers[m_trail.back().hint] = m_trail.back().number_before;
        m_trail.pop_back();
    }
}

TypeEmitter::TypeEmitter(const ModuleRef& module, const Dialect& dialect, Names::Reserved reserved,
                         DiagnosticSink& sink)
    : m_module(module), m_dialect(dialect), m_reserved(std::move(reserved)), m_sink(sink), m_names(m_reserved) {
    HIDET_CHECK(module->level == ir::Level::Kernel, "code is generated from the level Kernel");
    for (const FunctionRef& function : module->functions)
        m_function_names[function->name] = outermost_name(function->name);
    for (const VarRef& var : module->externs) {
        std::string name = var->name; // "space.function"
        HIDET_CHECK(is_extern_function(name), name);
        for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot))
            name.replace(dot, 1, "::");
        m_function_names[var->name] = name;
        m_names.add(name); // nothing else is called so
    }
    for (const VarRef& global : module->globals)
        m_names.alias(*global, outermost_name(global->name));
}

void Emitter::declare_function(const Function& function) {
    Writer::At at(m_out, function.origin);
    begin_function(function);
    function_head(function);
    end_statement();
    m_out.end_line();
    end_function();
}

void Emitter::declare_global(const Var& global, std::string_view storage, std::string_view array_storage) {
    Writer::At at(m_out, global.origin);
    const auto count = count_of(global.type);
    if (is_array(global.type) && !count)
        return unsupported(global, cat("the tensor '", global.name, "', whose shape is not constant"));
    m_out.begin_line();
    put(is_array(global.type) ? array_storage : storage);
    put(declarator(is_array(global.type) ? element_of(global.type) : global.type, m_names.of(global), global));
    if (is_array(global.type))
        put(cat("[", std::max<std::int64_t>(*count, 1), "]"));
    end_statement();
    m_out.end_line();
}

artifact::Source Emitter::assembled(artifact::Language language, std::string_view declarations,
                                    std::vector<artifact::EntryPoint> entries) {
    artifact::Source source;
    source.language = language;
    if (entries.empty())
        return source;
    Writer all;
    all.layout(m_dialect.prelude(m_snippets));
    all.layout(declarations);
    all.append(m_out);
    source.text = all.text();
    if (source.text.ends_with("\n\n"))
        source.text.pop_back();
    source.tokens = all.tokens();
    source.entries = std::move(entries);
    return source;
}

std::string TypeEmitter::outermost_name(std::string_view hint) {
    std::string name = m_names.add(hint);
    while (m_dialect.library_names().contains(name))
        name = m_names.add(hint);
    return name;
}

const std::string& TypeEmitter::function_name(const std::string& name) const {
    auto found = m_function_names.find(name);
    HIDET_CHECK(found != m_function_names.end(), name);
    return found->second;
}

const Function& Emitter::legal(const FunctionRef& function, const LaunchBounds* bounds) {
    m_legal = legalise(function, m_module, m_dialect, bounds);
    return *m_legal.function;
}

void Emitter::begin_function(const Function& function) {
    m_function = &function;
    m_uses = uses_in(function, m_module.get());
    m_const_pointers = ReadOnlyPointers(function, *m_module).found;
    ArrayIndices indices(function);
    m_array_indices = std::move(indices.found);
    m_addressed = std::move(indices.addressed);
    m_outer_names = m_names.mark();
    for (const VarRef& param : function.params)
        m_names.define(*param);
}

void Emitter::end_function() {
    m_names.restore(m_outer_names);
    m_function = nullptr;
}

void Emitter::params(const Function& function, std::string_view first) {
    std::vector<std::string> texts;
    std::size_t width = m_out.column() + 4;
    for (const VarRef& param : function.params) {
        std::string text = is_const_pointer(*param) ? "const " : "";
        // The copy unit takes the address of the kernel's own parameter.
        if (function.func_kind == FuncKind::CudaKernel && is_tensor_map(param->type))
            text = cat(tensor_map(*param, true), " ", m_names.of(*param));
        else
            text += declarator(param->type, m_names.of(*param), *param);
        texts.push_back(std::move(text));
        width += texts.back().size() + 2;
    }
    bool is_long = width + first.size() > 116;
    put("(");
    put(first);
    m_out.indent();
    m_out.indent();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        put(i || !first.empty() ? "," : "");
        if (is_long)
            m_out.end_line(), m_out.begin_line();
        else if (i || !first.empty())
            m_out.layout(" ");
        Writer::At at(m_out, function.params[i]->origin);
        put(texts[i]);
    }
    m_out.dedent();
    m_out.dedent();
    put(")");
}

// ---- types --------------------------------------------------------------------------------------------------------------

Span TypeEmitter::span_of(const Node& place) const {
    if (place.origin.known())
        return place.origin.span;
    return m_out.origin().known() || !m_function ? m_out.origin().span : m_function->origin.span;
}

void TypeEmitter::unsupported(const Node& place, const std::string& what) {
    m_sink.report(DiagId::CodegenUnsupported, span_of(place), language(), what);
}

std::string TypeEmitter::dtype(DType dtype, const Node& place) {
    auto syntax = m_dialect.type(dtype);
    if (!syntax) {
        m_sink.report(DiagId::CodegenType, span_of(place), language(), info(dtype).name);
        return "int";
    }
    need(*syntax, place);
    return syntax->text;
}

std::string TypeEmitter::tensor_map(const Node& place, bool is_parameter) {
    const std::optional<TargetSyntax> syntax = m_dialect.tensor_map(is_parameter);
    if (!syntax) {
        unsupported(place, "a tensor map");
        return "int";
    }
    need(*syntax, place);
    return syntax->text;
}

std::string TypeEmitter::type(const TypeRef& type, const Node& place) {
    switch (kind_of(*type)) {
    case TypeKind::DataType: return dtype(static_cast<const DataType&>(*type).dtype, place);
    case TypeKind::VoidType: return "void";
    case TypeKind::StringType: return "const char*";
    case TypeKind::PointerType: return pointer_to(static_cast<const PointerType&>(*type).base, place);
    case TypeKind::TensorPointerType:
        return pointer_to(TypeRef(static_cast<const TensorPointerType&>(*type).tensor), place);
    case TypeKind::TensorType: return pointer_to(element_of(type), place);
    case TypeKind::ArrayType: return pointer_to(element_of(type), place);
    case TypeKind::ReferenceType: return this->type(static_cast<const ReferenceType&>(*type).base, place) + "&";
    case TypeKind::OpaqueType: {
        const auto& opaque = static_cast<const OpaqueType&>(*type);
        if (is_tensor_map(type))
            return tensor_map(place, false);
        HIDET_CHECK(is_opaque_name(opaque.name), opaque.name);
        std::string text;
        for (const std::string& modifier : opaque.modifiers) {
            HIDET_CHECK(is_opaque_modifier(modifier), modifier);
            text += modifier + " ";
        }
        return text + opaque.name;
    }
    case TypeKind::FuncType: unsupported(place, "a value of this type"); return "int";
    }
    no_such_kind(*type);
}

// A pointer to a tensor is one to its elements.
std::string TypeEmitter::pointer_to(const TypeRef& base, const Node& place) {
    return type(is_array(base) ? element_of(base) : base, place) + "*";
}

std::string TypeEmitter::declarator(const TypeRef& declared, std::string_view name, const Node& place) {
    return cat(type(declared, place), " ", name);
}

} // namespace hidet::compiler::text
