// SPDX-License-Identifier: Apache-2.0
#include "lang/host/scope.h"

#include <algorithm>

#include "lang/ast/walk.h"

namespace hidet::lang {

// ---- layouts ------------------------------------------------------------------------------------------------------

static std::size_t hash_of(std::string_view name) {
    return std::hash<std::string_view>{}(name);
}

int ScopeLayout::slot(std::string_view name) const {
    if (m_buckets.empty()) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name)
                return static_cast<int>(i);
        return none;
    }
    std::size_t mask = m_buckets.size() - 1;
    for (std::size_t i = hash_of(name) & mask; m_buckets[i] >= 0; i = (i + 1) & mask)
        if (names[static_cast<std::size_t>(m_buckets[i])] == name)
            return m_buckets[i];
    return none;
}

void ScopeLayout::add(std::string_view name) {
    if (slot(name) != none || names.size() >= 30000)
        return;
    names.push_back(name);
    if (names.size() <= 6)
        return;
    if (names.size() * 2 > m_buckets.size()) {
        m_buckets.assign(std::max<std::size_t>(32, m_buckets.size() * 2), -1);
        std::size_t mask = m_buckets.size() - 1;
        for (std::size_t n = 0; n < names.size(); ++n) {
            std::size_t i = hash_of(names[n]) & mask;
            while (m_buckets[i] >= 0)
                i = (i + 1) & mask;
            m_buckets[i] = static_cast<std::int16_t>(n);
        }
        return;
    }
    std::size_t mask = m_buckets.size() - 1;
    std::size_t i = hash_of(name) & mask;
    while (m_buckets[i] >= 0)
        i = (i + 1) & mask;
    m_buckets[i] = static_cast<std::int16_t>(names.size() - 1);
}

static bool holds(const std::vector<ast::Ident>& names, std::string_view name) {
    return std::ranges::any_of(names, [&](const ast::Ident& ident) { return ident.text == name; });
}
bool ScopeLayout::is_global(std::string_view name) const {
    return holds(globals, name);
}
bool ScopeLayout::is_nonlocal(std::string_view name) const {
    return holds(nonlocals, name);
}

namespace {

// Walks a body without entering functions and classes, which have scopes of their own.
class Collector {
public:
    std::vector<ast::Ident> bound;
    std::vector<ast::Ident> globals;
    std::vector<ast::Ident> nonlocals;
    Span yield;
    Span awaiting;

    void block(ast::Block statements) {
        for (const ast::Stmt* statement : statements)
            stmt(*statement);
    }

    void stmt(const ast::Stmt& node) {
        using ast::Kind;
        switch (node.kind) {
        case Kind::Assign:
            for (const ast::Expr* target : ast::to<ast::Assign>(node).targets)
                bind(target);
            expr(ast::to<ast::Assign>(node).value);
            break;
        case Kind::AugAssign:
            bind(ast::to<ast::AugAssign>(node).target);
            expr(ast::to<ast::AugAssign>(node).value);
            break;
        case Kind::AnnAssign:
            bind(ast::to<ast::AnnAssign>(node).target);
            expr(ast::to<ast::AnnAssign>(node).value);
            break;
        case Kind::For: {
            const auto& s = ast::to<ast::For>(node);
            if (s.is_async && !awaiting.known())
                awaiting = s.span;
            bind(s.target);
            expr(s.iterable);
            block(s.body);
            block(s.else_body);
            break;
        }
        case Kind::FunctionDef: {
            const auto& s = ast::to<ast::FunctionDef>(node);
            for (const ast::Expr* decorator : s.decorators)
                expr(decorator);
            for (const ast::Param& param : s.params)
                expr(param.default_value);
            bound.push_back(s.name);
            break;
        }
        case Kind::ClassDef: {
            const auto& s = ast::to<ast::ClassDef>(node);
            for (const ast::Expr* base : s.bases)
                expr(base);
            bound.push_back(s.name);
            break;
        }
        case Kind::With: {
            const auto& s = ast::to<ast::With>(node);
            for (const ast::WithItem& item : s.items) {
                expr(item.context);
                if (item.target)
                    bind(item.target);
            }
            block(s.body);
            break;
        }
        case Kind::Raise: expr(ast::to<ast::Raise>(node).value); break;
        case Kind::Try: {
            const auto& s = ast::to<ast::Try>(node);
            block(s.body);
            for (const ast::Handler& handler : s.handlers) {
                expr(handler.type);
                if (!handler.name.text.empty())
                    bound.push_back(handler.name);
                block(handler.body);
            }
            block(s.else_body);
            block(s.finally_body);
            break;
        }
        case Kind::Import:
            for (const ast::ImportName& name : ast::to<ast::Import>(node).names)
                bound.push_back(name.as.text.empty() ? first_part(name.name) : name.as);
            break;
        case Kind::ImportFrom:
            for (const ast::ImportName& name : ast::to<ast::ImportFrom>(node).names)
                if (name.name.text != "*")
                    bound.push_back(name.as.text.empty() ? name.name : name.as);
            break;
        case Kind::Global:
            for (const ast::Ident& name : ast::to<ast::Global>(node).names)
                globals.push_back(name);
            break;
        case Kind::Nonlocal:
            for (const ast::Ident& name : ast::to<ast::Nonlocal>(node).names)
                nonlocals.push_back(name);
            break;
        case Kind::Del:
            for (const ast::Expr* target : ast::to<ast::Del>(node).targets)
                bind(target);
            break;
        case Kind::Match:
        case Kind::ErrorStmt: break; // neither runs
        default:
            ast::each_child(
                node, [this](const ast::Expr& part) { expr(&part); }, [this](const ast::Stmt& part) { stmt(part); });
        }
    }

    // Expressions bind by `:=`, and may hold a yield.
    void expr(const ast::Expr* node) {
        if (!node)
            return;
        using ast::Kind;
        switch (node->kind) {
        case Kind::NamedExpr:
            bound.push_back(ast::to<ast::NamedExpr>(*node).name);
            expr(ast::to<ast::NamedExpr>(*node).value);
            break;
        case Kind::Yield:
            if (!yield.known())
                yield = node->span;
            break;
        case Kind::Await:
            if (!awaiting.known())
                awaiting = node->span;
            break;
        case Kind::Lambda: break;   // a scope of its own
        case Kind::Comprehension: { // `:=` in one binds outside of it
            const auto& comprehension = ast::to<ast::Comprehension>(*node);
            for (const ast::Clause& clause : comprehension.clauses) {
                expr(clause.iterable);
                all(clause.conditions);
                if (clause.is_async && !awaiting.known())
                    awaiting = node->span;
            }
            expr(comprehension.element);
            expr(comprehension.value);
            break;
        }
        default: ast::each_child(*node, [this](const ast::Expr& part) { expr(&part); });
        }
    }

    void bind(const ast::Expr* target) {
        using ast::Kind;
        switch (target->kind) {
        case Kind::Name: bound.push_back({ast::to<ast::Name>(*target).id, target->span}); break;
        case Kind::Tuple:
        case Kind::List:
            for (const ast::Expr* item : *ast::written_items(target))
                bind(item);
            break;
        case Kind::Starred: bind(ast::to<ast::Starred>(*target).value); break;
        default: expr(target); break;
        }
    }

private:
    void all(ast::ExprList items) {
        for (const ast::Expr* item : items)
            expr(item);
    }
    static ast::Ident first_part(const ast::Ident& name) {
        return {name.text.substr(0, name.text.find('.')), name.span};
    }
};

std::shared_ptr<const ScopeLayout> finish(const Collector& collector, std::span<ast::Param> params) {
    auto layout = std::make_shared<ScopeLayout>();
    for (const ast::Param& param : params) {
        if (param.name.text.empty())
            continue;
        if (layout->slot(param.name.text) == ScopeLayout::none)
            layout->add(param.name.text);
        else // reported by the parser; preview goes on, and every parameter has a slot
            layout->names.push_back(param.name.text);
    }
    layout->globals = collector.globals;
    layout->nonlocals = collector.nonlocals;
    layout->yield = collector.yield;
    layout->awaiting = collector.awaiting;
    for (const ast::Ident& name : collector.bound)
        if (!layout->is_global(name.text) && !layout->is_nonlocal(name.text))
            layout->add(name.text);
    return layout;
}

} // namespace

std::shared_ptr<const ScopeLayout> layout_of(std::span<ast::Param> params, ast::Block body) {
    Collector collector;
    collector.block(body);
    return finish(collector, params);
}

std::shared_ptr<const ScopeLayout> layout_of(std::span<ast::Param> params, const ast::Expr& body) {
    Collector collector;
    collector.expr(&body);
    return finish(collector, params);
}

std::shared_ptr<const ScopeLayout> layout_of(const ast::Comprehension& comprehension) {
    Collector collector;
    for (const ast::Clause& clause : comprehension.clauses)
        collector.bind(clause.target);
    return finish(collector, {});
}

void bound_names(const ast::Stmt& statement, std::vector<ast::Ident>& out) {
    Collector collector;
    collector.stmt(statement);
    out = std::move(collector.bound);
}

// ---- scopes -------------------------------------------------------------------------------------------------------

Scope::Scope(What what, Ref<Environment> parent, std::shared_ptr<const ScopeLayout> layout)
    : m_what(what), m_parent(std::move(parent)), m_layout(std::move(layout)) {
    m_slots.assign(m_layout->names.size(), Value::unbound());
}

Scope::Scope(What what, Ref<Environment> parent, Ref<Object> owner, NameTable& table)
    : m_what(what), m_parent(std::move(parent)), m_owner(std::move(owner)), m_table(&table) {}

Value* Scope::own_slot(std::string_view name) {
    if (!m_layout)
        return nullptr;
    int slot = m_layout->slot(name);
    return slot == ScopeLayout::none ? nullptr : &m_slots[static_cast<std::size_t>(slot)];
}

Value* Scope::find(std::string_view name) {
    if (m_table) {
        if (Value* value = m_table->find(name))
            return value;
    } else if (Value* value = own_slot(name)) {
        return value->is(ValueKind::Unbound) ? nullptr : value;
    } else if (!m_layout->globals.empty() && m_layout->is_global(name)) {
        Scope* module = module_scope();
        return module ? module->find(name) : nullptr;
    }
    return m_parent ? m_parent->find(name) : nullptr;
}

bool Scope::is_unbound_local(std::string_view name) const {
    if (!m_layout || m_layout->slot(name) == ScopeLayout::none) {
        const auto* parent = dynamic_cast<const Scope*>(m_parent.get());
        return parent && parent->m_layout && parent->is_unbound_local(name);
    }
    return m_slots[static_cast<std::size_t>(m_layout->slot(name))].is(ValueKind::Unbound);
}

Scope* Scope::module_scope() {
    for (Environment* at = this; at;) {
        auto* scope = dynamic_cast<Scope*>(at);
        if (!scope || scope->m_what == What::Module)
            return scope;
        at = scope->m_parent.get();
    }
    return nullptr;
}

Scope* Scope::target_of(std::string_view name) {
    if (!m_layout)
        return this;
    if (m_layout->is_global(name))
        return module_scope();
    if (!m_layout->is_nonlocal(name))
        return this;
    for (Environment* at = m_parent.get(); at;) {
        auto* scope = dynamic_cast<Scope*>(at);
        if (!scope)
            break;
        if (scope->own_slot(name))
            return scope;
        if (scope->m_layout && scope->m_layout->is_nonlocal(name))
            return scope->target_of(name);
        at = scope->m_parent.get();
    }
    return nullptr; // reported by the parser
}

void Scope::bind(const ast::Ident& name, Value value) {
    Scope* scope = target_of(name.text);
    if (!scope)
        return;
    if (scope->m_table) {
        scope->m_table->set(name.text, std::move(value));
    } else if (Value* slot = scope->own_slot(name.text)) {
        *slot = std::move(value);
    } else if (m_what == What::Comprehension && m_parent) {
        m_parent->bind(name, std::move(value)); // `:=` in a comprehension
    }
}

bool Scope::unbind(std::string_view name) {
    Scope* scope = target_of(name);
    if (!scope)
        return false;
    if (scope->m_table)
        return scope->m_table->erase(name);
    Value* slot = scope->own_slot(name);
    if (!slot || slot->is(ValueKind::Unbound))
        return false;
    *slot = Value::unbound();
    return true;
}

void Scope::names(std::vector<std::string>& out) const {
    if (m_table)
        for (std::string& name : m_table->names())
            out.push_back(std::move(name));
    if (m_layout)
        for (std::size_t i = 0; i < m_slots.size(); ++i)
            if (!m_slots[i].is(ValueKind::Unbound))
                out.emplace_back(m_layout->names[i]);
    if (m_parent)
        m_parent->names(out);
}

Ref<Environment> Scope::closure() {
    Environment* at = this;
    for (auto* scope = this; scope && scope->m_what == What::Class; scope = dynamic_cast<Scope*>(at))
        at = scope->m_parent.get();
    return Ref<Environment>(at);
}

void Scope::clear() {
    std::vector<Value> slots;
    slots.swap(m_slots);
    m_slots.assign(m_layout ? m_layout->names.size() : 0, Value::unbound());
    m_parent.reset();
    m_owner.reset();
    m_table = nullptr;
    if (!m_layout)
        m_layout = std::make_shared<ScopeLayout>();
}

} // namespace hidet::lang
