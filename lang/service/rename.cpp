// SPDX-License-Identifier: Apache-2.0
// Renaming in one text.
#include <algorithm>

#include "lang/base/ascii.h"
#include "lang/base/text.h"
#include "lang/parse/token.h"
#include "lang/service/lookup.h"
#include "lang/service/navigate.h"

namespace hidet::lang::service {

static int line_of(const Document& document, std::uint32_t offset) {
    return document.sources().file(1).position(offset).line;
}

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

std::string doubt_about(const Document& document, std::string_view name) {
    for (const AttributeUse& use : document.names().attributes)
        if (document.at(use.range) == name && !thing_at(document, use).known())
            return cat("nobody knows whether '", name, "' in line ", line_of(document, use.range.begin),
                       " is this one");
    return "";
}

namespace {

bool is_member(const Document& document, const Binding& binding) {
    return document.names().scopes[static_cast<std::size_t>(binding.scope)].kind == ScopeKind::Class;
}

bool is_name(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text.size() > 200 || !is_valid_utf8(text))
        return false;
    return std::ranges::all_of(text, is_name_byte);
}

Renaming refuse(std::string why) {
    return {{}, std::move(why)};
}

// What is wrong with a name wherever it is; empty: nothing.
std::string fault_of(std::string_view name, std::string_view old) {
    if (!is_name(name))
        return cat("'", name, "' is not a name");
    if (keyword(name) != Tok::NAME)
        return cat("'", name, "' is a keyword");
    return name == old ? "that is its name already" : "";
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
    if (std::string doubt = doubt_about(document, old); !doubt.empty())
        return refuse(std::move(doubt));
    Renaming out;
    for (const Use& place : uses_of_field(document, field))
        out.edits.push_back({place.range, std::string(new_name)});
    return out;
}

bool is_of_scripts(const Thing& thing) { // not of the language
    return thing.binding >= 0 || thing.sibling_binding >= 0 || !thing.field.empty();
}

std::string why_nothing(const Document& document, std::uint32_t offset) {
    const Occurrence* use = document.names().occurrence_at(document.clamp(offset));
    return use ? cat("'", document.at(use->range), "' is not defined in this file")
               : "there is no name here that this file binds";
}

} // namespace

Renaming rename(const Document& document, std::uint32_t offset, std::string_view new_name) {
    return quietly<Renaming>(document, [&] {
        int index = binding_at(document, offset);
        if (Range field = index < 0 ? field_at(document, offset) : Range{}; !field.empty())
            return rename_field(document, field, new_name);
        if (index < 0)
            return refuse(why_nothing(document, offset));
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
            if (std::string doubt = doubt_about(document, old); !doubt.empty())
                return refuse(std::move(doubt));
        Renaming out;
        for (const Use& place : uses_of(document, index)) {
            bool imported = is_import && !binding.is_renamed && place.range == binding.definition;
            out.edits.push_back({place.range, imported ? old + " as " + std::string(new_name) : std::string(new_name)});
        }
        return out;
    });
}

Renamable renamable(const Document& document, std::uint32_t offset) {
    return quietly<Renamable>(document, [&] {
        offset = document.clamp(offset);
        auto named = [&](Range range) { return Renamable{range, std::string(document.at(range)), ""}; };
        const Bindings& names = document.names();
        if (const Occurrence* use = names.occurrence_at(offset); use && use->binding >= 0)
            return named(use->range);
        const AttributeUse* member = names.attribute_at(offset);
        if (member && is_of_scripts(thing_at(document, *member)))
            return named(member->range);
        const ArgumentUse* argument = names.argument_at(offset);
        if (argument && parameter_of(document, *argument) >= 0)
            return named(argument->range);
        const ImportUse* import = names.import_at(offset);
        if (import && find_in_module(document, import->module, import->member).sibling_binding >= 0)
            return named(import->range);
        return Renamable{{}, "", why_nothing(document, offset)};
    });
}

} // namespace hidet::lang::service
