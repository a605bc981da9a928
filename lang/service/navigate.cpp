// SPDX-License-Identifier: Apache-2.0
// Definitions and references.
#include <algorithm>

#include "lang/service/lookup.h"
#include "lang/service/navigate.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

int binding_at(const Document& document, std::uint32_t offset) {
    offset = document.clamp(offset);
    if (const Occurrence* use = document.names().occurrence_at(offset); use && use->binding >= 0)
        return use->binding;
    if (const AttributeUse* use = document.names().attribute_at(offset)) // of a class here
        return thing_at(document, *use).binding;
    const ArgumentUse* use = document.names().argument_at(offset);
    return use ? parameter_of(document, *use) : -1;
}

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

static Location location_of(const Thing& thing) {
    if (!thing.sibling)
        return {};
    if (thing.sibling_binding < 0)
        return {thing.sibling->path, {0, std::max(1u, end_of_line(thing.sibling->text, 0))}};
    return {thing.sibling->path,
            thing.sibling->names.bindings[static_cast<std::size_t>(thing.sibling_binding)].definition};
}

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
        auto definition = std::ranges::find_if(out, [&](const Use& use) { return use.range == defined; });
        if (definition != out.end())
            std::rotate(out.begin(), definition, definition + 1);
        return out;
    });
}

} // namespace hidet::lang::service
