// SPDX-License-Identifier: Apache-2.0
// Definitions, references and renaming.
#include <algorithm>

#include "lang/parse/token.h"
#include "lang/service/lookup.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

const Binding* binding_at(const Document& document, std::uint32_t offset) {
    if (const Occurrence* use = document.names.occurrence_at(document.clamp(offset)); use && use->binding >= 0)
        return &document.names.bindings[static_cast<std::size_t>(use->binding)];
    if (const AttributeUse* use = document.names.attribute_at(document.clamp(offset))) { // a method of a class here
        Thing thing = thing_at(document, *use);
        if (thing.binding >= 0)
            return &document.names.bindings[static_cast<std::size_t>(thing.binding)];
    }
    return nullptr;
}

Location location_of(const Thing& thing) {
    if (!thing.sibling)
        return {};
    if (thing.sibling_binding < 0)
        return {thing.sibling->path, {0, std::max(1u, end_of_line(thing.sibling->text(), 0))}};
    return {thing.sibling->path,
            thing.sibling->names.bindings[static_cast<std::size_t>(thing.sibling_binding)].definition};
}

bool is_name(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text.size() > 200 || !is_valid_utf8(text))
        return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return is_word(c); });
}

Renaming refuse(std::string why) {
    return {{}, std::move(why)};
}

// Whether a use of the binding would mean something else under the new name, or something else would mean the binding.
bool is_taken(const Document& document, const Binding& binding, std::string_view name) {
    for (const Use& use : binding.uses) {
        int scope = document.names.scope_at(document.text, use.range.begin);
        if (document.names.find(scope, name) >= 0)
            return true;
    }
    const NameScope& scope = document.names.scopes[static_cast<std::size_t>(binding.scope)];
    return std::any_of(document.names.occurrences.begin(), document.names.occurrences.end(), [&](const Occurrence& o) {
        return scope.range.covers(o.range) && document.at(o.range) == name;
    });
}

} // namespace

Location definition(const Document& document, std::uint32_t offset) {
    return quietly<Location>(document, [&] {
        offset = document.clamp(offset);
        if (const Occurrence* use = document.names.occurrence_at(offset)) {
            Thing thing = thing_at(document, *use);
            if (Location elsewhere = location_of(thing); elsewhere.known())
                return elsewhere;
            if (use->binding >= 0)
                return Location{"", document.names.bindings[static_cast<std::size_t>(use->binding)].definition};
            return Location();
        }
        if (const AttributeUse* use = document.names.attribute_at(offset)) {
            Thing thing = thing_at(document, *use);
            if (thing.sibling)
                return location_of(thing);
            if (const Binding* binding = binding_at(document, offset))
                return Location{"", binding->definition};
            return Location();
        }
        if (const ImportUse* use = document.names.import_at(offset))
            return location_of(find_in_module(document, use->module, use->member));
        return Location();
    });
}

std::vector<Use> references(const Document& document, std::uint32_t offset) {
    return quietly<std::vector<Use>>(document, [&] {
        const Binding* binding = binding_at(document, offset);
        if (!binding)
            return std::vector<Use>();
        std::vector<Use> out = binding->uses;
        auto definition =
            std::find_if(out.begin(), out.end(), [&](const Use& use) { return use.range == binding->definition; });
        if (definition != out.end())
            std::rotate(out.begin(), definition, definition + 1);
        return out;
    });
}

Renaming rename(const Document& document, std::uint32_t offset, std::string_view new_name) {
    return quietly<Renaming>(document, [&] {
        const Occurrence* use = document.names.occurrence_at(document.clamp(offset));
        if (!use)
            return refuse("there is no name here that this file binds");
        std::string old(document.at(use->range));
        if (use->binding < 0)
            return refuse(cat("'", old, "' is not defined in this file"));
        if (!is_name(new_name))
            return refuse(cat("'", new_name, "' is not a name"));
        if (keyword(new_name) != Tok::NAME)
            return refuse(cat("'", new_name, "' is a keyword"));
        if (new_name == old)
            return refuse("that is its name already");
        const Binding& binding = document.names.bindings[static_cast<std::size_t>(use->binding)];
        if (is_taken(document, binding, new_name))
            return refuse(cat("'", new_name, "' is used already where '", old, "' is"));
        bool is_import = binding.kind == BindingKind::Module || binding.kind == BindingKind::Imported;
        if (is_import && !binding.is_renamed && binding.kind == BindingKind::Module)
            return refuse(cat("'", old, "' is the name of a module; import it 'as' another name"));
        Renaming out;
        for (const Use& place : binding.uses) {
            bool imported = is_import && !binding.is_renamed && place.range == binding.definition;
            out.edits.push_back({place.range, imported ? old + " as " + std::string(new_name) : std::string(new_name)});
        }
        return out;
    });
}

} // namespace hidet::lang::service
