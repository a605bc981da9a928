// SPDX-License-Identifier: Apache-2.0
// What each name is, for the editor's colours: above all, whether it is known now or exists when the kernel runs, and
// where a tensor lives.
#include <algorithm>

#include "lang/service/lookup.h"

namespace hidet::lang::service {

namespace {

class Colourist {
public:
    explicit Colourist(const Document& document) : m_document(document) {}

    std::vector<SemanticToken> run() {
        for (Range range : m_document.names().decorators)
            add(range, SemanticKind::Decorator);
        for (const Occurrence& use : m_document.names().occurrences)
            add(use.range, kind_of_name(use));
        for (const AttributeUse& use : m_document.names().attributes)
            add(use.range, kind_of_attribute(use));
        for (const ImportUse& use : m_document.names().imports)
            add(use.range, kind_of_import(use));
        std::ranges::stable_sort(
            m_out, [](const SemanticToken& a, const SemanticToken& b) { return a.range.begin < b.range.begin; });
        std::vector<SemanticToken> out; // the first of those at one place
        for (const SemanticToken& token : m_out)
            if (!token.range.empty() && token.range.end <= m_document.text().size() &&
                (out.empty() || out.back().range.end <= token.range.begin))
                out.push_back(token);
        return out;
    }

private:
    void add(Range range, SemanticKind kind) { m_out.push_back({range, kind}); }

    static SemanticKind of_entry(const CatalogEntry& entry) {
        switch (entry.kind) {
        case ItemKind::Module: return SemanticKind::Module;
        case ItemKind::Type:
        case ItemKind::Class:
        case ItemKind::Exception: return SemanticKind::Type;
        case ItemKind::Builtin: return SemanticKind::Builtin;
        case ItemKind::Primitive: return SemanticKind::Primitive;
        case ItemKind::Function:
        case ItemKind::Method: return SemanticKind::Function;
        case ItemKind::Attribute: return SemanticKind::Attribute;
        default: return SemanticKind::HostValue;
        }
    }

    static SemanticKind of_tensor(const Fact& fact) {
        if (fact.scope == "shared")
            return SemanticKind::SharedTensor;
        return fact.scope == "register" ? SemanticKind::RegisterTensor : SemanticKind::GlobalTensor;
    }

    SemanticKind of_fact(const Fact& fact, int scope) const {
        if (fact.kind == ItemKind::Tensor && fact.is_script)
            return of_tensor(fact);
        if (fact.is_script)
            return SemanticKind::ScriptValue;
        switch (fact.kind) {
        case ItemKind::Module: return SemanticKind::Module;
        case ItemKind::Type:
        case ItemKind::Class:
        case ItemKind::Exception: return SemanticKind::Type;
        case ItemKind::Function: return SemanticKind::Function;
        case ItemKind::Kernel: return SemanticKind::Kernel;
        default: return m_document.names().is_in_kernel(scope) ? SemanticKind::Constant : SemanticKind::HostValue;
        }
    }

    SemanticKind kind_of_name(const Occurrence& use) const {
        Thing thing = thing_at(m_document, use);
        if (use.binding >= 0) {
            const Binding& binding = m_document.names().bindings[static_cast<std::size_t>(use.binding)];
            bool in_script =
                m_document.names().scopes[static_cast<std::size_t>(binding.scope)].kind == ScopeKind::Kernel;
            switch (binding.kind) {
            case BindingKind::Function: return SemanticKind::Function;
            case BindingKind::Kernel: return SemanticKind::Kernel;
            case BindingKind::Class: return SemanticKind::Type;
            case BindingKind::Module: return SemanticKind::Module;
            case BindingKind::Parameter:
                if (thing.fact && thing.fact->kind == ItemKind::Tensor && thing.fact->is_script)
                    return SemanticKind::GlobalTensor;
                if (!in_script && m_document.names().is_in_kernel(use.scope))
                    return SemanticKind::Constant; // of the factory around the kernel
                return SemanticKind::Parameter;
            default: break;
            }
            if (thing.entry)
                return of_entry(*thing.entry);
            if (thing.sibling)
                return of_kind(lang::service::kind_of(m_document, thing));
            if (thing.fact && !thing.fact->is_unknown)
                return of_fact(*thing.fact, use.scope);
            return in_script ? SemanticKind::ScriptValue : SemanticKind::HostValue;
        }
        return thing.entry     ? of_entry(*thing.entry)
               : thing.known() ? SemanticKind::HostValue
                               : SemanticKind::Unresolved;
    }

    static SemanticKind of_kind(ItemKind kind) {
        switch (kind) {
        case ItemKind::Function: return SemanticKind::Function;
        case ItemKind::Kernel: return SemanticKind::Kernel;
        case ItemKind::Class: return SemanticKind::Type;
        case ItemKind::Module: return SemanticKind::Module;
        default: return SemanticKind::HostValue;
        }
    }

    SemanticKind kind_of_attribute(const AttributeUse& use) const {
        Thing thing = thing_at(m_document, use);
        if (thing.entry && thing.entry->path.starts_with("hidet.lang.attrs"))
            return SemanticKind::Attribute;
        if (thing.entry)
            return of_entry(*thing.entry);
        if (thing.sibling || thing.binding >= 0)
            return of_kind(lang::service::kind_of(m_document, thing));
        return SemanticKind::Attribute;
    }

    SemanticKind kind_of_import(const ImportUse& use) const {
        Thing thing = find_in_module(m_document, use.module, use.member);
        if (thing.entry)
            return of_entry(*thing.entry);
        return thing.sibling ? of_kind(lang::service::kind_of(m_document, thing)) : SemanticKind::Module;
    }

    const Document& m_document;
    std::vector<SemanticToken> m_out;
};

} // namespace

std::vector<SemanticToken> semantic_tokens(const Document& document) {
    return quietly<std::vector<SemanticToken>>(
        document, [&] { return document.is_readable() ? Colourist(document).run() : std::vector<SemanticToken>(); });
}

} // namespace hidet::lang::service
