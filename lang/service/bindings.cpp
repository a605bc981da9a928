// SPDX-License-Identifier: Apache-2.0
#include "lang/service/bindings.h"

#include <algorithm>

#include "lang/ast/walk.h"
#include "lang/service/bind_tokens.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

using ast::Kind;

class Binder {
public:
    Binder(NameCollector& out) : m_out(out) {}

    void block(ast::Block statements, int scope) {
        for (const ast::Stmt* statement : statements)
            stmt(*statement, scope);
    }

private:
    void declare(const ast::Ident& ident, BindingKind kind, int scope) {
        m_out.declare(ident.text, range_of(ident.span), kind, scope);
    }

    void exprs(ast::ExprList list, int scope) {
        for (const ast::Expr* item : list)
            expr(item, scope);
    }

    void target(const ast::Expr* node, BindingKind kind, int scope) {
        if (!node)
            return;
        if (const auto* name = ast::as<ast::Name>(node))
            m_out.declare(name->id, range_of(name->span), kind, scope);
        else if (const auto* items = ast::written_items(node))
            for (const ast::Expr* item : *items)
                target(item, kind, scope);
        else if (const auto* starred = ast::as<ast::Starred>(node))
            target(starred->value, kind, scope);
        else if (const auto* attribute = ast::as<ast::Attribute>(node)) {
            expr(attribute->object, scope);
            m_out.attribute(*attribute, scope, true);
        } else
            expr(node, scope);
    }

    void parameters(std::span<ast::Param> params, int outer, int inner, const ast::FunctionDef* owner) {
        for (const ast::Param& param : params) {
            expr(param.annotation, outer);
            expr(param.default_value, outer);
            int binding = m_out.declare(param.name.text, range_of(param.name.span), BindingKind::Parameter, inner);
            m_out.binding(binding).param = &param;
            m_out.binding(binding).owner = owner;
        }
    }

    bool is_script(const ast::FunctionDef& def, int scope) {
        return std::ranges::any_of(def.decorators, [&](const ast::Expr* decorator) {
            if (const auto* call = ast::as<ast::Call>(decorator))
                decorator = call->callee;
            if (const auto* attribute = ast::as<ast::Attribute>(decorator))
                return attribute->name.text == "script";
            const auto* name = ast::as<ast::Name>(decorator);
            return name && (name->id == "script" || m_out.imports_script(name->id, scope));
        });
    }

    void function(const ast::FunctionDef& def, int scope) {
        for (const ast::Expr* decorator : def.decorators) {
            expr(decorator, scope);
            m_out.decorator(*decorator);
        }
        bool script = is_script(def, scope);
        int binding = m_out.declare(def.name.text, range_of(def.name.span),
                                    script ? BindingKind::Kernel : BindingKind::Function, scope);
        m_out.binding(binding).function = &def;
        expr(def.returns, scope);
        int inner = m_out.open(script ? ScopeKind::Kernel : ScopeKind::Function, scope,
                               {def.name.span.end, def.span.end}, def.span.begin, def.name.text);
        parameters(def.params, scope, inner, &def);
        block(def.body, inner);
    }

    void class_(const ast::ClassDef& def, int scope) {
        for (const ast::Expr* decorator : def.decorators) {
            expr(decorator, scope);
            m_out.decorator(*decorator);
        }
        exprs(def.bases, scope);
        for (const ast::Keyword& keyword : def.keywords)
            expr(keyword.value, scope);
        int binding = m_out.declare(def.name.text, range_of(def.name.span), BindingKind::Class, scope);
        m_out.binding(binding).type = &def;
        block(def.body,
              m_out.open(ScopeKind::Class, scope, {def.name.span.end, def.span.end}, def.span.begin, def.name.text));
    }

    void stmt(const ast::Stmt& node, int scope) {
        switch (node.kind) {
        case Kind::Assign: {
            const auto& s = ast::to<ast::Assign>(node);
            expr(s.value, scope);
            for (const ast::Expr* item : s.targets)
                target(item, BindingKind::Variable, scope);
            return;
        }
        case Kind::AugAssign: {
            const auto& s = ast::to<ast::AugAssign>(node);
            target(s.target, BindingKind::Variable, scope);
            return expr(s.value, scope);
        }
        case Kind::AnnAssign: {
            const auto& s = ast::to<ast::AnnAssign>(node);
            expr(s.annotation, scope);
            expr(s.value, scope);
            return target(s.target, BindingKind::Variable, scope);
        }
        case Kind::For: {
            const auto& s = ast::to<ast::For>(node);
            target(s.target, BindingKind::LoopVariable, scope);
            expr(s.iterable, scope);
            block(s.body, scope);
            return block(s.else_body, scope);
        }
        case Kind::FunctionDef: return function(ast::to<ast::FunctionDef>(node), scope);
        case Kind::ClassDef: return class_(ast::to<ast::ClassDef>(node), scope);
        case Kind::With:
            for (const ast::WithItem& item : ast::to<ast::With>(node).items) {
                expr(item.context, scope);
                target(item.target, BindingKind::Variable, scope);
            }
            return block(ast::to<ast::With>(node).body, scope);
        case Kind::Try: {
            const auto& s = ast::to<ast::Try>(node);
            block(s.body, scope);
            for (const ast::Handler& handler : s.handlers) {
                expr(handler.type, scope);
                if (!handler.name.text.empty())
                    declare(handler.name, BindingKind::Variable, scope);
                block(handler.body, scope);
            }
            block(s.else_body, scope);
            return block(s.finally_body, scope);
        }
        case Kind::Import:
            for (const ast::ImportName& name : ast::to<ast::Import>(node).names)
                m_out.import(name, scope);
            return;
        case Kind::ImportFrom: return import_from(ast::to<ast::ImportFrom>(node), scope);
        case Kind::Global:
            for (const ast::Ident& name : ast::to<ast::Global>(node).names)
                m_out.use_outer(name.text, range_of(name.span), scope, true);
            return;
        case Kind::Nonlocal:
            for (const ast::Ident& name : ast::to<ast::Nonlocal>(node).names)
                m_out.use_outer(name.text, range_of(name.span), scope, false);
            return;
        case Kind::Match: {
            const auto& s = ast::to<ast::Match>(node);
            expr(s.subject, scope);
            for (const ast::MatchCase& item : s.cases) {
                for (const ast::Ident& name : item.names)
                    declare(name, BindingKind::Variable, scope);
                expr(item.guard, scope);
                block(item.body, scope);
            }
            return;
        }
        default:
            return ast::each_child(
                node, [&](const ast::Expr& part) { expr(&part, scope); },
                [&](const ast::Stmt& part) { stmt(part, scope); });
        }
    }

    void import_from(const ast::ImportFrom& node, int scope) {
        for (const ast::ImportName& name : node.names)
            m_out.import_from(node.module, node.level, name, scope);
    }

    void comprehension(const ast::Comprehension& node, int scope) {
        int inner = m_out.open(ScopeKind::Comprehension, scope, range_of(node.span), node.span.begin, "");
        bool first = true;
        for (const ast::Clause& clause : node.clauses) {
            expr(clause.iterable, first ? scope : inner);
            first = false;
            target(clause.target, BindingKind::LoopVariable, inner);
            exprs(clause.conditions, inner);
        }
        expr(node.element, inner);
        expr(node.value, inner);
    }

    void expr(const ast::Expr* pointer, int scope) {
        if (!pointer)
            return;
        const ast::Expr& node = *pointer;
        switch (node.kind) {
        case Kind::Name: return m_out.use(ast::to<ast::Name>(node).id, range_of(node.span), scope);
        case Kind::Call: {
            const auto& e = ast::to<ast::Call>(node);
            expr(e.callee, scope);
            exprs(e.args, scope);
            for (const ast::Keyword& keyword : e.keywords) {
                if (!keyword.name.text.empty())
                    m_out.argument({range_of(keyword.name.span), e.callee, scope});
                expr(keyword.value, scope);
            }
            return;
        }
        case Kind::Attribute:
            expr(ast::to<ast::Attribute>(node).object, scope);
            return m_out.attribute(ast::to<ast::Attribute>(node), scope, false);
        case Kind::Lambda: {
            const auto& e = ast::to<ast::Lambda>(node);
            int inner = m_out.open(ScopeKind::Lambda, scope, range_of(node.span), node.span.begin, "lambda");
            parameters(e.params, scope, inner, nullptr);
            return expr(e.body, inner);
        }
        case Kind::Comprehension: return comprehension(ast::to<ast::Comprehension>(node), scope);
        case Kind::NamedExpr: {
            const auto& e = ast::to<ast::NamedExpr>(node);
            expr(e.value, scope);
            return declare(e.name, BindingKind::Variable, m_out.outside_of_comprehensions(scope));
        }
        default: return ast::each_child(node, [&](const ast::Expr& part) { expr(&part, scope); });
        }
    }

    NameCollector& m_out;
};

template <class T>
const T* at_offset(const std::vector<T>& sorted, std::uint32_t offset) {
    auto after = std::upper_bound(sorted.begin(), sorted.end(), offset,
                                  [](std::uint32_t o, const T& item) { return o < item.range.begin; });
    if (after == sorted.begin() || !std::prev(after)->range.touches(offset))
        return nullptr;
    return &*std::prev(after);
}

} // namespace

int Bindings::find(int scope, std::string_view name) const {
    for (int at = scope; at >= 0; at = scopes[static_cast<std::size_t>(at)].parent) {
        const NameScope& here = scopes[static_cast<std::size_t>(at)];
        if (here.kind == ScopeKind::Class && at != scope)
            continue;
        if (auto outer = here.outer.find(name); outer != here.outer.end()) {
            if (!outer->second)
                continue;
            auto found = scopes[0].names.find(name);
            return found == scopes[0].names.end() ? -1 : found->second;
        }
        if (auto found = here.names.find(name); found != here.names.end())
            return found->second;
    }
    return -1;
}

const Occurrence* Bindings::occurrence_at(std::uint32_t offset) const {
    return at_offset(occurrences, offset);
}
const AttributeUse* Bindings::attribute_at(std::uint32_t offset) const {
    return at_offset(attributes, offset);
}
const ArgumentUse* Bindings::argument_at(std::uint32_t offset) const {
    return at_offset(arguments, offset);
}
const ImportUse* Bindings::import_at(std::uint32_t offset) const {
    return at_offset(imports, offset);
}

int Bindings::scope_at(std::string_view text, std::uint32_t offset) const {
    offset = clamp_offset(text, offset);
    std::uint32_t line = start_of_line(text, offset);
    std::string_view blanks = blanks_at(text, line);
    std::uint32_t code = line + static_cast<std::uint32_t>(blanks.size());
    bool in_blanks = offset <= code;
    std::size_t column = in_blanks ? offset - line : blanks.size();
    int best = 0;
    for (std::size_t i = 1; i < scopes.size(); ++i) {
        const NameScope& scope = scopes[i];
        if (offset < scope.range.begin || offset > scope.range.end)
            continue;
        bool is_block = scope.kind != ScopeKind::Lambda && scope.kind != ScopeKind::Comprehension;
        std::uint32_t head = start_of_line(text, scope.head);
        if (is_block && head != line && column <= blanks_at(text, head).size() &&
            (in_blanks || code >= scope.range.end))
            continue;
        best = static_cast<int>(i); // inner scopes are opened later
    }
    return best;
}

bool Bindings::is_in_kernel(int scope) const {
    while (scope > 0 && scopes[static_cast<std::size_t>(scope)].kind != ScopeKind::Kernel)
        scope = scopes[static_cast<std::size_t>(scope)].parent;
    return scope > 0; // the first is the module, which an unreadable text lacks
}

Bindings bind_names(const ast::Module& tree, std::string_view text, const Tokens& tokens) {
    NameCollector collector(text);
    Binder(collector).block(tree.body, 0);
    if (tree.had_errors)
        bind_loose_tokens(text, tokens, collector);
    return collector.take();
}

} // namespace hidet::lang::service
