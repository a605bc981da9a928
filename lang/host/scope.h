// SPDX-License-Identifier: Apache-2.0
// Scopes of host code, by Python's rules: which names a function binds is known before it runs.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lang/host/evaluator.h"
#include "lang/host/objects.h"

namespace hidet::lang {

// The names that a function (or a comprehension) binds, and those it declares global or nonlocal.
struct ScopeLayout {
    static constexpr int none = -1;
    int slot(std::string_view name) const;
    void add(std::string_view name);
    bool is_global(std::string_view name) const;
    bool is_nonlocal(std::string_view name) const;

    std::vector<std::string_view> names;
    std::vector<ast::Ident> globals;
    std::vector<ast::Ident> nonlocals;
    Span yield;    // of the first yield in the body, if any
    Span awaiting; // of the first await, async for or async with

private:
    std::vector<std::int16_t> m_buckets; // open addressing once there are many names
};

std::shared_ptr<const ScopeLayout> layout_of(std::span<ast::Param> params, ast::Block body);
std::shared_ptr<const ScopeLayout> layout_of(std::span<ast::Param> params, const ast::Expr& body);
std::shared_ptr<const ScopeLayout> layout_of(const ast::Comprehension& comprehension);
// Every name that the statement binds in its own scope.
void bound_names(const ast::Stmt& statement, std::vector<ast::Ident>& out);

class Scope : public Environment {
public:
    enum class What : std::uint8_t { Module, Class, Function, Comprehension };

    // Function and comprehension scopes have slots, the others write into a table of the owner.
    Scope(What what, Ref<Environment> parent, std::shared_ptr<const ScopeLayout> layout);
    Scope(What what, Ref<Environment> parent, Ref<Object> owner, NameTable& table);

    Value* find(std::string_view name) override;
    void bind(const ast::Ident& name, Value value) override;
    void names(std::vector<std::string>& out) const override;
    bool in_script() const override { return m_parent && m_parent->in_script(); }
    void explain_missing(std::string_view name, Span span) override {
        if (m_parent)
            m_parent->explain_missing(name, span);
    }
    void clear() override;

    // False: it was not bound.
    bool unbind(std::string_view name);
    // True when the name is a local one of this function that has no value yet.
    bool is_unbound_local(std::string_view name) const;
    Value* own_slot(std::string_view name); // function scopes: the slot whatever it holds
    What what() const { return m_what; }
    Environment* parent() const { return m_parent.get(); }
    Scope* module_scope();
    Value& slot(std::size_t i) { return m_slots[i]; }
    // Where functions that are defined here look for names: a class body is not seen by its methods.
    Ref<Environment> closure();
    HeapLink link;

private:
    Scope* target_of(std::string_view name); // after global and nonlocal

    What m_what;
    Ref<Environment> m_parent;
    std::shared_ptr<const ScopeLayout> m_layout;
    std::vector<Value> m_slots;
    Ref<Object> m_owner;
    NameTable* m_table = nullptr;
};

// The built-in names, below every module.
class BuiltinScope : public Environment {
public:
    explicit BuiltinScope(NameTable& table) : m_table(table) {}
    Value* find(std::string_view name) override { return m_table.find(name); }
    void bind(const ast::Ident&, Value) override {}
    void names(std::vector<std::string>& out) const override {
        for (std::string& name : m_table.names())
            out.push_back(std::move(name));
    }

private:
    NameTable& m_table;
};

} // namespace hidet::lang
