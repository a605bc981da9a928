// SPDX-License-Identifier: Apache-2.0
#include "lang/service/lookup.h"

#include <algorithm>

#include "lang/host/modules.h"

namespace hidet::lang::service {

namespace {

const Binding& binding_of(const Document& document, const Thing& thing) {
    return document.names().bindings[static_cast<std::size_t>(thing.binding)];
}
const Binding* sibling_binding_of(const Thing& thing) {
    return thing.sibling && thing.sibling_binding >= 0
               ? &thing.sibling->names.bindings[static_cast<std::size_t>(thing.sibling_binding)]
               : nullptr;
}

// The value at the definition, or at any other assignment.
const Fact* fact_of_binding(const Document& document, const Binding& binding) {
    const Fact* found = document.facts.find(binding.definition);
    constexpr std::size_t tried = 16; // one that is never evaluated may have thousands of uses
    for (std::size_t i = 0; i < std::min(tried, binding.uses.size()); ++i) {
        const Use& use = binding.uses[i];
        if (found && !found->is_unknown)
            break;
        if (const Fact* other = document.facts.find(use.range))
            found = other;
    }
    return found;
}

// What is known of the class of `self` when no instance was made.
std::vector<std::string> members_of_class(const Document& document, int scope) {
    std::vector<std::string> out;
    for (int at = scope; at >= 0; at = document.names().scopes[static_cast<std::size_t>(at)].parent) {
        const NameScope& here = document.names().scopes[static_cast<std::size_t>(at)];
        if (here.kind != ScopeKind::Class)
            continue;
        for (const auto& [name, binding] : here.names)
            out.push_back(name);
        for (const AttributeUse& use : document.names().attributes)
            if (use.is_write && here.range.covers(use.range) && document.at(use.object) == "self")
                out.emplace_back(document.at(use.range));
        break;
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::string without_line_ends(std::string_view text) {
    std::string out;
    for (char c : text) {
        bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!blank)
            out += c;
        else if (!out.empty() && out.back() != ' ' && out.back() != '(')
            out += ' ';
    }
    return out;
}

} // namespace

Thing find_in_module(const Document& document, std::string_view module, std::string_view member) {
    Thing out;
    out.name = member.empty() ? module : member;
    const Catalog& catalog = Catalog::get();
    out.entry = member.empty() ? catalog.find(module) : catalog.member(module, member);
    if (out.entry)
        return out;
    auto sibling = document.siblings().find(module);
    if (sibling == document.siblings().end()) {
        if (auto inner = document.siblings().find(member); module.empty() && inner != document.siblings().end())
            out.sibling = &inner->second;
        return out;
    }
    out.sibling = &sibling->second;
    if (member.empty())
        return out;
    auto found = out.sibling->names.scopes[0].names.find(member);
    if (found == out.sibling->names.scopes[0].names.end())
        return Thing();
    out.sibling_binding = found->second;
    return out;
}

Thing find_name(const Document& document, int scope, std::string_view name) {
    Thing out;
    out.name = name;
    out.binding = document.names().find(scope, name);
    if (out.binding >= 0) {
        const Binding& binding = binding_of(document, out);
        if (!binding.module.empty() || !binding.member.empty()) {
            Thing imported = find_in_module(document, binding.module, binding.member);
            imported.binding = out.binding;
            imported.name = name;
            out = imported;
        }
        out.fact = fact_of_binding(document, binding);
        return out;
    }
    for (int at = scope; at >= 0; at = document.names().scopes[static_cast<std::size_t>(at)].parent)
        for (const std::string& module : document.names().scopes[static_cast<std::size_t>(at)].star_modules)
            if (Thing found = find_in_module(document, module, name); found.known())
                return found;
    out.entry = Catalog::get().member("builtins", name);
    return out;
}

Thing find_member(const Document& document, const Thing& object, std::string_view name) {
    Thing out;
    out.name = name;
    const Catalog& catalog = Catalog::get();
    if (object.entry)
        out.entry = catalog.member(object.entry->path, name);
    if (!out.entry && object.fact && !object.fact->path.empty())
        out.entry = catalog.member(object.fact->path, name);
    if (!out.entry && object.sibling && object.sibling_binding < 0) {
        auto found = object.sibling->names.scopes[0].names.find(name);
        if (found != object.sibling->names.scopes[0].names.end()) {
            out.sibling = object.sibling;
            out.sibling_binding = found->second;
        }
    }
    if (out.known())
        return out;
    const Binding* type = object.binding >= 0 ? &binding_of(document, object) : nullptr;
    std::string_view class_name = object.fact ? std::string_view(object.fact->type) : "";
    for (std::size_t i = 0; i < document.names().scopes.size(); ++i) { // methods of classes of the text
        const NameScope& scope = document.names().scopes[i];
        bool fits = scope.kind == ScopeKind::Class &&
                    (scope.name == class_name || (type && type->type && scope.name == type->name) ||
                     (object.name == "self" && type &&
                      document.names().scopes[static_cast<std::size_t>(type->scope)].parent == static_cast<int>(i)));
        if (!fits)
            continue;
        if (auto found = scope.names.find(name); found != scope.names.end()) {
            out.binding = found->second;
            out.fact = fact_of_binding(document, binding_of(document, out));
            return out;
        }
        for (const AttributeUse& use : document.names().attributes)
            if (use.is_write && scope.range.covers(use.range) && document.at(use.range) == name) {
                out.field = use.range;
                out.fact = document.facts.find(use.range);
                return out;
            }
    }
    return out;
}

Thing find_dotted(const Document& document, int scope, const DottedName& dotted) {
    if (dotted.parts.empty() || !dotted.is_whole)
        return {};
    Thing out = find_name(document, scope, dotted.parts[0]);
    for (std::size_t i = 1; i < dotted.parts.size() && out.known(); ++i)
        out = find_member(document, out, dotted.parts[i]);
    return out;
}

Thing find_object(const Document& document, int scope, const DottedName& dotted) {
    Thing out = find_dotted(document, scope, dotted);
    if (!out.known() || !out.fact) {
        if (const Fact* fact = document.facts.ending_at(dotted.range.end))
            out.fact = fact;
    }
    if (out.name.empty() && dotted.parts.size() == 1)
        out.name = dotted.parts[0];
    return out;
}

Thing thing_at(const Document& document, const Occurrence& occurrence) {
    Thing out = find_name(document, occurrence.scope, document.at(occurrence.range));
    if (occurrence.binding >= 0 && out.binding != occurrence.binding) { // bound elsewhere: comprehensions, parameters
        out = Thing();
        out.name = document.at(occurrence.range);
        out.binding = occurrence.binding;
        const Binding& binding = binding_of(document, out);
        if (!binding.module.empty())
            out = find_in_module(document, binding.module, binding.member);
        out.binding = occurrence.binding;
        out.fact = fact_of_binding(document, binding);
    }
    if (const Fact* here = document.facts.find(occurrence.range); here && !here->is_unknown) {
        bool keeps_scope = out.fact && out.fact->kind == ItemKind::Tensor && here->kind == ItemKind::Tensor;
        if (!keeps_scope) // where a tensor lives is known at its declaration only
            out.fact = here;
    }
    return out;
}

static DottedName dotted_of(const ast::Expr* node) {
    DottedName out;
    while (const auto* attribute = ast::as<ast::Attribute>(node)) {
        out.parts.insert(out.parts.begin(), std::string(attribute->name.text));
        node = attribute->object;
    }
    if (const auto* name = ast::as<ast::Name>(node))
        out.parts.insert(out.parts.begin(), std::string(name->id));
    else
        out.is_whole = false;
    return out;
}

Thing thing_at(const Document& document, const AttributeUse& use) {
    DottedName object;
    if (use.node)
        object = dotted_of(use.node->object);
    else
        object.parts = {std::string(document.at(use.object))};
    object.range = use.object;
    Thing owner = find_dotted(document, use.scope, object);
    if (const Fact* fact = document.facts.find(use.object); fact && (!owner.fact || owner.fact->is_unknown))
        owner.fact = fact;
    Thing out = find_member(document, owner, document.at(use.range));
    if (use.node)
        if (const Fact* fact = document.facts.find({use.node->span.begin, use.node->span.end}))
            out.fact = fact;
    return out;
}

Thing callee_of(const Document& document, const ArgumentUse& use) {
    DottedName callee = dotted_of(use.callee);
    callee.range = {use.callee->span.begin, use.callee->span.end};
    return find_dotted(document, use.scope, callee);
}

int parameter_of(const Document& document, const ArgumentUse& use) {
    if (!use.callee)
        return -1;
    Thing thing = callee_of(document, use);
    if (thing.binding >= 0 && binding_of(document, thing).type)
        thing = find_member(document, thing, "__init__");
    const ast::FunctionDef* function = thing.binding >= 0 ? binding_of(document, thing).function : nullptr;
    std::string_view name = document.at(use.range);
    for (std::size_t i = 0; function && i < document.names().bindings.size(); ++i) {
        const Binding& binding = document.names().bindings[i];
        if (binding.owner == function && binding.name == name)
            return static_cast<int>(i);
    }
    return -1;
}

std::vector<Use> uses_of(const Document& document, int index) {
    const Binding& binding = document.names().bindings[static_cast<std::size_t>(index)];
    std::vector<Use> out = binding.uses;
    bool is_member = document.names().scopes[static_cast<std::size_t>(binding.scope)].kind == ScopeKind::Class;
    if (is_member)
        for (const AttributeUse& use : document.names().attributes)
            if (document.at(use.range) == binding.name && thing_at(document, use).binding == index)
                out.push_back({use.range, use.is_write});
    if (binding.owner)
        for (const ArgumentUse& use : document.names().arguments)
            if (document.at(use.range) == binding.name && parameter_of(document, use) == index)
                out.push_back({use.range, false});
    std::ranges::sort(out, [](const Use& a, const Use& b) { return a.range.begin < b.range.begin; });
    return out;
}

std::vector<std::string> members_of(const Document& document, const Thing& object) {
    std::vector<std::string> out;
    auto take = [&](const std::vector<std::string>& names) { out.insert(out.end(), names.begin(), names.end()); };
    const Catalog& catalog = Catalog::get();
    if (object.entry)
        take(object.entry->members);
    if (object.fact) {
        take(object.fact->members);
        if (const CatalogEntry* kind = catalog.find(object.fact->path); kind && kind != object.entry)
            take(kind->members);
    }
    if (object.sibling && object.sibling_binding < 0)
        for (const auto& [name, binding] : object.sibling->names.scopes[0].names)
            out.push_back(name);
    if (object.binding >= 0 && object.name == "self" && (!object.fact || object.fact->members.empty()))
        take(members_of_class(document, binding_of(document, object).scope));
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::string signature_of(std::string_view text, const ast::FunctionDef& def,
                         std::vector<SignatureParameter>* parameters) {
    std::string out = "def " + std::string(def.name.text) + "(";
    auto source = [&](Span span) {
        return span.end <= text.size() && span.begin <= span.end ? text.substr(span.begin, span.end - span.begin)
                                                                 : std::string_view();
    };
    bool first = true, starred = false;
    for (const ast::Param& param : def.params) {
        if (!first)
            out += ", ";
        first = false;
        if (param.what == ast::ParamKind::KeywordOnly && !starred && !param.name.text.empty())
            out += "*, ";
        starred = starred || param.what == ast::ParamKind::KeywordOnly || param.what == ast::ParamKind::VarArgs;
        auto begin = static_cast<std::uint32_t>(out.size());
        out += param.what == ast::ParamKind::VarArgs ? "*" : param.what == ast::ParamKind::VarKeywords ? "**" : "";
        out += param.name.text;
        if (param.annotation)
            out += ": " + without_line_ends(source(param.annotation->span));
        if (param.default_value)
            out += (param.annotation ? " = " : "=") + without_line_ends(source(param.default_value->span));
        if (parameters)
            parameters->push_back({{begin, static_cast<std::uint32_t>(out.size())}, std::string(param.name.text)});
    }
    out += ")";
    if (def.returns)
        out += " -> " + without_line_ends(source(def.returns->span));
    return out;
}

std::string docstring_of(ast::Block body) {
    const auto* first = body.empty() ? nullptr : ast::as<ast::ExprStmt>(body[0]);
    const auto* text = first ? ast::as<ast::Constant>(first->value) : nullptr;
    if (!text || text->what != ast::ConstantKind::String)
        return "";
    std::string out; // without the indentation
    for (std::size_t i = 0; i < text->text.size(); ++i) {
        char c = text->text[i];
        out += c;
        while (c == '\n' && i + 1 < text->text.size() && text->text[i + 1] == ' ')
            ++i;
    }
    while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
        out.pop_back();
    out.erase(0, std::min(out.find_first_not_of(" \n"), out.size()));
    return out;
}

static ItemKind kind_of(const Binding& binding) {
    switch (binding.kind) {
    case BindingKind::Variable: return ItemKind::Variable;
    case BindingKind::Parameter: return ItemKind::Parameter;
    case BindingKind::LoopVariable: return ItemKind::LoopVariable;
    case BindingKind::Function: return ItemKind::Function;
    case BindingKind::Kernel: return ItemKind::Kernel;
    case BindingKind::Class: return ItemKind::Class;
    case BindingKind::Module: return ItemKind::Module;
    case BindingKind::Imported: return ItemKind::Variable;
    }
    return ItemKind::Variable;
}

ItemKind kind_of(const Document& document, const Thing& thing) {
    if (thing.entry)
        return thing.entry->kind;
    if (thing.sibling) {
        const Binding* binding = sibling_binding_of(thing);
        return binding ? kind_of(*binding) : ItemKind::Module;
    }
    ItemKind kind = thing.binding >= 0 ? kind_of(binding_of(document, thing)) : ItemKind::Attribute;
    bool plain = kind == ItemKind::Variable || kind == ItemKind::Attribute;
    if (plain && thing.fact && thing.fact->kind != ItemKind::Variable)
        return thing.fact->kind;
    return kind;
}

std::string detail_of(const Document& document, const Thing& thing) {
    if (thing.binding >= 0 && binding_of(document, thing).function)
        return signature_of(document.text(), *binding_of(document, thing).function);
    if (thing.binding >= 0 && binding_of(document, thing).type)
        return "class " + thing.name;
    if (const Binding* binding = sibling_binding_of(thing)) {
        if (binding->function)
            return signature_of(thing.sibling->text, *binding->function);
        return cat("of ", thing.sibling->path);
    }
    if (thing.sibling)
        return "module " + thing.name;
    if (thing.entry && thing.entry->is_callable)
        return signature_text(*thing.entry);
    if (thing.entry && thing.entry->kind == ItemKind::Module)
        return "module " + thing.entry->path;
    if (thing.fact && !thing.fact->type.empty()) {
        const Fact& fact = *thing.fact;
        bool has_value = !fact.is_script && fact.values.size() == 1 && !fact.has_more_values;
        std::string scope = fact.scope.empty() ? "" : fact.scope + " ";
        return scope + fact.type + (has_value ? " = " + fact.values[0] : "");
    }
    return thing.entry ? thing.entry->type : "";
}

std::string documentation_of(const Document& document, const Thing& thing) {
    if (thing.binding >= 0) {
        const Binding& binding = binding_of(document, thing);
        if (binding.function)
            return docstring_of(binding.function->body);
        if (binding.type)
            return docstring_of(binding.type->body);
    }
    if (const Binding* binding = sibling_binding_of(thing))
        return binding->function ? docstring_of(binding->function->body) : "";
    return thing.entry ? thing.entry->documentation : "";
}

} // namespace hidet::lang::service
