// SPDX-License-Identifier: Apache-2.0
// How the names of a text are collected, from its tree and from the tokens of what is not in the tree.
#pragma once

#include <set>

#include "lang/service/bindings.h"

namespace hidet::lang::service {

class NameCollector {
public:
    explicit NameCollector(std::string_view text);

    int open(ScopeKind kind, int parent, Range range, std::uint32_t head, std::string_view name);
    int declare(std::string_view name, Range range, BindingKind kind, int scope);
    Binding& binding(int index) { return m_out.bindings[static_cast<std::size_t>(index)]; }
    void use(std::string_view name, Range range, int scope);
    void use_outer(std::string_view name, Range range, int scope, bool is_global);
    void attribute(const ast::Attribute& node, int scope, bool is_write);
    void attribute(Range name, Range object, int scope);
    void argument(const ArgumentUse& use);
    void decorator(const ast::Expr& node);
    void import(const ast::ImportName& name, int scope);
    void import_from(const ast::Ident& module, int level, const ast::ImportName& name, int scope);
    int outside_of_comprehensions(int scope) const;
    bool imports_script(std::string_view name, int scope) const;

    bool has_seen(std::uint32_t begin) const { return m_seen.contains(begin); }
    std::size_t scope_count() const { return m_out.scopes.size(); }
    int scope_at(std::uint32_t offset) const { return m_out.scope_at(m_text, offset); }
    Bindings take(); // resolves what was used

private:
    struct Pending {
        std::string_view name;
        std::size_t occurrence;
    };
    void note(Range range) { m_seen.insert(range.begin); }

    std::string_view m_text;
    Bindings m_out;
    std::vector<Pending> m_pending;
    std::set<std::uint32_t> m_seen; // where a name of the text is accounted for
};

void bind_loose_tokens(std::string_view text, const Tokens& tokens, NameCollector& out);

} // namespace hidet::lang::service
