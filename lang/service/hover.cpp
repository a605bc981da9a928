// SPDX-License-Identifier: Apache-2.0
// Hover cards and the signature of the call that is being typed.
#include <algorithm>

#include "lang/service/lookup.h"

namespace hidet::lang::service {

namespace {

const Binding* local_binding_of(const Document& document, const Thing& thing) {
    return thing.binding >= 0 ? &document.names().bindings[static_cast<std::size_t>(thing.binding)] : nullptr;
}

std::string title_of(const Document& document, const Thing& thing) {
    const Binding* binding = local_binding_of(document, thing);
    if (binding && binding->function)
        return signature_of(document.text(), *binding->function);
    if (binding && binding->type)
        return "class " + thing.name;
    if (thing.sibling)
        return detail_of(document, thing);
    if (thing.entry) {
        const CatalogEntry& entry = *thing.entry;
        if (entry.kind == ItemKind::Module)
            return "module " + entry.path;
        std::string owner = entry.path.substr(0, entry.path.size() - std::min(entry.path.size(), entry.name.size()));
        if (owner == "builtins.")
            owner.clear();
        return owner + (entry.is_callable ? signature_text(entry) : entry.name);
    }
    if (binding && binding->param && binding->param->annotation && !thing.fact)
        return thing.name + ": " +
               std::string(document.at({binding->param->annotation->span.begin, binding->param->annotation->span.end}));
    return thing.name + (thing.fact && !thing.fact->type.empty() ? ": " + thing.fact->type : "");
}

void describe(Card& card, const Fact& fact) {
    card.type = fact.type;
    card.shape = fact.shape;
    card.layout = fact.layout;
    card.scope = fact.scope;
    if (fact.bytes >= 0 && !fact.scope.empty())
        card.bytes = bytes_text(fact.bytes);
    for (const std::string& value : fact.values)
        card.value += (card.value.empty() ? "" : ", ") + value;
    if (fact.has_more_values)
        card.value += ", ...";
}

Card card_of(const Document& document, const Thing& thing, Range range) {
    Card card;
    if (!thing.known())
        return card;
    card.range = range;
    card.kind = kind_of(document, thing);
    card.title = title_of(document, thing);
    card.documentation = documentation_of(document, thing);
    bool is_function = card.kind == ItemKind::Function || card.kind == ItemKind::Class ||
                       card.kind == ItemKind::Module || (thing.entry && thing.entry->is_callable);
    if (thing.fact && !is_function)
        describe(card, *thing.fact);
    return card;
}

// An operator shows what the whole expression is.
Card card_of_expression(const Document& document, std::uint32_t offset) {
    Range range;
    document.facts.for_each_around(offset, [&](Range place, const Fact&) {
        if (range.empty() || place.end - place.begin < range.end - range.begin)
            range = place;
    });
    Card card;
    const Fact* fact = range.empty() ? nullptr : document.facts.find(range);
    if (!fact || fact->is_unknown || fact->type.empty() || range.end > document.text().size())
        return card;
    std::string text(document.at(range));
    bool is_simple = text.size() <= 60 && text.find('\n') == std::string::npos;
    bool worth = !fact->is_script ? !fact->values.empty() : true;
    if (!is_simple || !worth)
        return card;
    card.range = range;
    card.kind = fact->kind;
    card.title = text + ": " + fact->type;
    describe(card, *fact);
    return card;
}

bool is_operator(char c) {
    return std::string_view("+-*/%<>=&|^@~()[]").find(c) != std::string_view::npos;
}

} // namespace

Card hover(const Document& document, std::uint32_t offset) {
    return quietly<Card>(document, [&] {
        offset = document.clamp(offset);
        if (const Occurrence* use = document.names().occurrence_at(offset)) {
            Card card = card_of(document, thing_at(document, *use), use->range);
            if (card.known())
                return card;
        }
        if (const AttributeUse* use = document.names().attribute_at(offset))
            return card_of(document, thing_at(document, *use), use->range);
        if (const ArgumentUse* use = document.names().argument_at(offset))
            if (int index = parameter_of(document, *use); index >= 0) {
                const Binding& binding = document.names().bindings[static_cast<std::size_t>(index)];
                return card_of(document, find_name(document, binding.scope, binding.name), use->range);
            }
        if (const ImportUse* use = document.names().import_at(offset))
            return card_of(document, find_in_module(document, use->module, use->member), use->range);
        if (offset < document.text().size() && is_operator(document.text()[offset]))
            return card_of_expression(document, offset);
        return Card();
    });
}

SignatureHelp signature_help(const Document& document, std::uint32_t offset) {
    return quietly<SignatureHelp>(document, [&] {
        SignatureHelp out;
        auto call = call_at(document, offset);
        if (!call)
            return out;
        int scope = document.names().scope_at(document.text(), call->open);
        Thing callee = find_dotted(document, scope, call->callee);
        if (!callee.known() && call->callee.parts.size() == 1 && !call->callee.is_whole) // f(x).method(
            callee = find_member(document, find_object(document, scope, {{}, call->callee.range, false}),
                                 call->callee.parts[0]);
        const Binding* binding = local_binding_of(document, callee);
        bool is_method = false;
        if (binding && binding->type) { // a class is called: its constructor
            Thing init = find_member(document, callee, "__init__");
            if (const Binding* found = local_binding_of(document, init); found && found->function) {
                binding = found;
                is_method = true;
            }
        } else if (binding && binding->function && call->callee.parts.size() > 1) {
            is_method = document.names().scopes[static_cast<std::size_t>(binding->scope)].kind == ScopeKind::Class;
        }
        if (binding && binding->function) {
            out.label = signature_of(document.text(), *binding->function, &out.parameters);
            out.documentation = docstring_of(binding->function->body);
        } else if (callee.sibling && callee.sibling_binding >= 0) {
            const Binding& other = callee.sibling->names.bindings[static_cast<std::size_t>(callee.sibling_binding)];
            if (!other.function)
                return out;
            out.label = signature_of(callee.sibling->text, *other.function, &out.parameters);
            out.documentation = docstring_of(other.function->body);
        } else if (callee.entry && callee.entry->is_callable) {
            out.label = signature_text(*callee.entry, &out.parameters);
            out.documentation = callee.entry->documentation;
        } else {
            return out;
        }
        out.callee = call->callee.range;
        auto count = static_cast<int>(out.parameters.size());
        int active = call->argument + (is_method ? 1 : 0);
        if (!call->keyword.empty()) {
            auto named = std::ranges::find_if(out.parameters,
                                              [&](const SignatureParameter& p) { return p.name == call->keyword; });
            active = named == out.parameters.end() ? -1 : static_cast<int>(named - out.parameters.begin());
        } else {
            for (int i = 0; i < std::min(active, count); ++i) { // *shape takes all that follow
                Range range = out.parameters[static_cast<std::size_t>(i)].range;
                if (out.label[range.begin] == '*')
                    active = i;
            }
        }
        out.active = active < count ? active : -1;
        return out;
    });
}

} // namespace hidet::lang::service
