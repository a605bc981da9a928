// SPDX-License-Identifier: Apache-2.0
// Definitions, references and renaming.
#include <algorithm>
#include <optional>

#include "lang/base/ascii.h"
#include "lang/parse/token.h"
#include "lang/service/lookup.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

// -1: nothing that this text binds.
int binding_at(const Document& document, std::uint32_t offset) {
    offset = document.clamp(offset);
    if (const Occurrence* use = document.names().occurrence_at(offset); use && use->binding >= 0)
        return use->binding;
    if (const AttributeUse* use = document.names().attribute_at(offset)) // of a class here
        return thing_at(document, *use).binding;
    const ArgumentUse* use = document.names().argument_at(offset);
    return use ? parameter_of(document, *use) : -1;
}

// The first assignment of the field `self.name` that is meant; empty: no field of a class of this text.
Range field_at(const Document& document, std::uint32_t offset) {
    const AttributeUse* use = document.names().attribute_at(document.clamp(offset));
    return use ? thing_at(document, *use).field : Range{};
}

std::vector<Use> uses_of_field(const Document& document, Range field) {
    std::vector<Use> out;
    for (const AttributeUse& use : document.names().attributes)
        if (document.at(use.range) == document.at(field) && thing_at(document, use).field == field)
            out.push_back({use.range, use.is_write});
    return out;
}

Location location_of(const Thing& thing) {
    if (!thing.sibling)
        return {};
    if (thing.sibling_binding < 0)
        return {thing.sibling->path, {0, std::max(1u, end_of_line(thing.sibling->text, 0))}};
    return {thing.sibling->path,
            thing.sibling->names.bindings[static_cast<std::size_t>(thing.sibling_binding)].definition};
}

bool is_member(const Document& document, const Binding& binding) {
    return document.names().scopes[static_cast<std::size_t>(binding.scope)].kind == ScopeKind::Class;
}

int line_of(const Document& document, std::uint32_t offset) {
    return document.sources().file(1).position(offset).line;
}

bool is_name(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text.size() > 200 || !is_valid_utf8(text))
        return false;
    return std::all_of(text.begin(), text.end(), is_name_byte);
}

Renaming refuse(std::string why) {
    return {{}, std::move(why)};
}

// Whether a use of the binding would mean something else under the new name, or something else would mean the binding.
bool is_taken(const Document& document, const Binding& binding, std::string_view name) {
    for (const Use& use : binding.uses) {
        int scope = document.names().scope_at(document.text(), use.range.begin);
        if (document.names().find(scope, name) >= 0)
            return true;
    }
    const NameScope& scope = document.names().scopes[static_cast<std::size_t>(binding.scope)];
    return std::any_of(
        document.names().occurrences.begin(), document.names().occurrences.end(),
        [&](const Occurrence& o) { return scope.range.covers(o.range) && document.at(o.range) == name; });
}

// What is wrong with a name wherever it is; empty: nothing.
std::string fault_of(std::string_view name, std::string_view old) {
    if (!is_name(name))
        return cat("'", name, "' is not a name");
    if (keyword(name) != Tok::NAME)
        return cat("'", name, "' is a keyword");
    return name == old ? "that is its name already" : "";
}

// A member that is called through an object that nobody knows may be this one.
std::optional<Renaming> doubt_about(const Document& document, std::string_view name) {
    for (const AttributeUse& use : document.names().attributes)
        if (document.at(use.range) == name && !thing_at(document, use).known())
            return refuse(
                cat("nobody knows whether '", name, "' in line ", line_of(document, use.range.begin), " is this one"));
    return std::nullopt;
}

Renaming rename_field(const Document& document, Range field, std::string_view new_name) {
    std::string_view old = document.at(field);
    if (std::string fault = fault_of(new_name, old); !fault.empty())
        return refuse(std::move(fault));
    for (const NameScope& scope : document.names().scopes) {
        if (scope.kind != ScopeKind::Class || !scope.range.covers(field))
            continue;
        bool taken = scope.names.count(std::string(new_name)) > 0;
        for (const AttributeUse& use : document.names().attributes)
            taken = taken || (scope.range.covers(use.range) && document.at(use.range) == new_name);
        if (taken)
            return refuse(cat("'", new_name, "' is used already where '", old, "' is"));
    }
    if (auto doubt = doubt_about(document, old))
        return *doubt;
    Renaming out;
    for (const Use& place : uses_of_field(document, field))
        out.edits.push_back({place.range, std::string(new_name)});
    return out;
}

} // namespace

Location definition(const Document& document, std::uint32_t offset) {
    return quietly<Location>(document, [&] {
        offset = document.clamp(offset);
        if (const Occurrence* use = document.names().occurrence_at(offset)) {
            Thing thing = thing_at(document, *use);
            if (Location elsewhere = location_of(thing); elsewhere.known())
                return elsewhere;
            if (use->binding >= 0)
                return Location{"", document.names().bindings[static_cast<std::size_t>(use->binding)].definition};
            return Location();
        }
        if (const AttributeUse* use = document.names().attribute_at(offset)) {
            Thing thing = thing_at(document, *use);
            if (thing.sibling)
                return location_of(thing);
            if (!thing.field.empty())
                return Location{"", thing.field};
        }
        if (int index = binding_at(document, offset); index >= 0)
            return Location{"", document.names().bindings[static_cast<std::size_t>(index)].definition};
        if (const ImportUse* use = document.names().import_at(offset))
            return location_of(find_in_module(document, use->module, use->member));
        return Location();
    });
}

std::vector<Use> references(const Document& document, std::uint32_t offset) {
    return quietly<std::vector<Use>>(document, [&] {
        int index = binding_at(document, offset);
        if (index < 0) {
            Range field = field_at(document, offset);
            return field.empty() ? std::vector<Use>() : uses_of_field(document, field);
        }
        std::vector<Use> out = uses_of(document, index);
        Range defined = document.names().bindings[static_cast<std::size_t>(index)].definition;
        auto definition = std::find_if(out.begin(), out.end(), [&](const Use& use) { return use.range == defined; });
        if (definition != out.end())
            std::rotate(out.begin(), definition, definition + 1);
        return out;
    });
}

Renaming rename(const Document& document, std::uint32_t offset, std::string_view new_name) {
    return quietly<Renaming>(document, [&] {
        int index = binding_at(document, offset);
        if (Range field = index < 0 ? field_at(document, offset) : Range{}; !field.empty())
            return rename_field(document, field, new_name);
        if (index < 0) {
            const Occurrence* use = document.names().occurrence_at(document.clamp(offset));
            return refuse(use ? cat("'", document.at(use->range), "' is not defined in this file")
                              : "there is no name here that this file binds");
        }
        const Binding& binding = document.names().bindings[static_cast<std::size_t>(index)];
        const std::string& old = binding.name;
        if (std::string fault = fault_of(new_name, old); !fault.empty())
            return refuse(std::move(fault));
        if (is_taken(document, binding, new_name))
            return refuse(cat("'", new_name, "' is used already where '", old, "' is"));
        bool is_import = binding.kind == BindingKind::Module || binding.kind == BindingKind::Imported;
        if (is_import && !binding.is_renamed && binding.kind == BindingKind::Module)
            return refuse(cat("'", old, "' is the name of a module; import it 'as' another name"));
        if (is_member(document, binding))
            if (auto doubt = doubt_about(document, old))
                return *doubt;
        Renaming out;
        for (const Use& place : uses_of(document, index)) {
            bool imported = is_import && !binding.is_renamed && place.range == binding.definition;
            out.edits.push_back({place.range, imported ? old + " as " + std::string(new_name) : std::string(new_name)});
        }
        return out;
    });
}

} // namespace hidet::lang::service
