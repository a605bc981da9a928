// SPDX-License-Identifier: Apache-2.0
// The tree of a text's parts, and which of them hold a place.
#include <set>

#include "lang/ast/walk.h"
#include "lang/base/printable.h"
#include "lang/service/lookup.h"

namespace hidet::lang::service {

namespace {

using ast::Kind;

std::string shown_in_a_row(std::string_view text) {
    constexpr std::size_t longest = 48;
    std::string out;
    for (char c : text) {
        bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!blank || (!out.empty() && out.back() != ' '))
            out += blank ? ' ' : c;
    }
    return shortened(out, longest);
}

class Outliner {
public:
    explicit Outliner(const Document& document) : m_document(document) {}

    std::vector<OutlineNode> run() {
        std::vector<OutlineNode> out;
        block(m_document.tree().body, out, false);
        return out;
    }

private:
    std::string text(Span span) const {
        Range range{m_document.clamp(span.begin), m_document.clamp(span.end)};
        return std::string(m_document.at(range));
    }

    void block(ast::Block statements, std::vector<OutlineNode>& out, bool in_kernel) {
        for (const ast::Stmt* statement : statements)
            stmt(*statement, out, in_kernel);
    }

    void import(const ast::Stmt& node, std::vector<OutlineNode>& out) {
        if (!out.empty() && out.back().kind == OutlineKind::Imports) {
            out.back().range.end = node.span.end;
            return;
        }
        out.push_back({OutlineKind::Imports, "imports", "", range_of(node.span), range_of(node.span), {}});
    }

    void function(const ast::FunctionDef& def, std::vector<OutlineNode>& out) {
        int index = -1;
        if (const Occurrence* at = m_document.names().occurrence_at(def.name.span.begin))
            index = at->binding;
        bool script =
            index >= 0 && m_document.names().bindings[static_cast<std::size_t>(index)].kind == BindingKind::Kernel;
        OutlineNode node{script ? OutlineKind::Kernel : OutlineKind::Function,
                         std::string(def.name.text),
                         "",
                         range_of(def.span),
                         range_of(def.name.span),
                         {}};
        const Fact* fact = m_document.facts.find(node.name_range);
        if (script && fact && fact->kind == ItemKind::Kernel)
            node.detail = fact->type;
        else if (!script)
            node.detail = signature_of(m_document.text(), def).substr(4 + def.name.text.size());
        block(def.body, node.children, script);
        out.push_back(std::move(node));
    }

    void loop(OutlineKind kind, const ast::Stmt& node, std::string name, Span head, ast::Block body,
              std::vector<OutlineNode>& out, bool in_kernel) {
        OutlineNode made{kind, shown_in_a_row(name), "", range_of(node.span), range_of(head), {}};
        block(body, made.children, in_kernel);
        out.push_back(std::move(made));
    }

    // Only what takes memory is worth a row.
    void assignment(const ast::Expr* target, const ast::Stmt& node, std::vector<OutlineNode>& out) {
        const auto* name = ast::as<ast::Name>(target);
        const Fact* fact = name ? m_document.facts.find(range_of(name->span)) : nullptr;
        bool allocates = fact && fact->kind == ItemKind::Tensor && fact->is_script &&
                         (fact->scope == "shared" || fact->scope == "register");
        if (allocates)
            out.push_back({OutlineKind::Tensor,
                           std::string(name->id),
                           fact->scope + " " + fact->type,
                           range_of(node.span),
                           range_of(name->span),
                           {}});
    }

    void stmt(const ast::Stmt& node, std::vector<OutlineNode>& out, bool in_kernel) {
        switch (node.kind) {
        case Kind::Import:
        case Kind::ImportFrom: return import(node, out);
        case Kind::FunctionDef: return function(ast::to<ast::FunctionDef>(node), out);
        case Kind::ClassDef: {
            const auto& s = ast::to<ast::ClassDef>(node);
            OutlineNode made{OutlineKind::Class, std::string(s.name.text), "",
                             range_of(s.span),   range_of(s.name.span),    {}};
            block(s.body, made.children, false);
            out.push_back(std::move(made));
            return;
        }
        case Kind::For: {
            const auto& s = ast::to<ast::For>(node);
            if (!in_kernel || !s.target || !s.iterable) {
                block(s.body, out, in_kernel);
                return block(s.else_body, out, in_kernel);
            }
            loop(OutlineKind::Loop, node, "for " + text(s.target->span) + " in " + text(s.iterable->span),
                 s.target->span, s.body, out, in_kernel);
            return block(s.else_body, out, in_kernel);
        }
        case Kind::While: {
            const auto& s = ast::to<ast::While>(node);
            if (!in_kernel || !s.condition)
                return block(s.body, out, in_kernel);
            loop(OutlineKind::Loop, node, "while " + text(s.condition->span), s.condition->span, s.body, out,
                 in_kernel);
            return block(s.else_body, out, in_kernel);
        }
        case Kind::With: {
            const auto& s = ast::to<ast::With>(node);
            if (s.items.empty() || !s.items[0].context)
                return block(s.body, out, in_kernel);
            Span head = s.items[0].context->span;
            return loop(OutlineKind::With, node, "with " + text(head), head, s.body, out, in_kernel);
        }
        case Kind::If:
        case Kind::Try:
        case Kind::ErrorStmt:
            return ast::each_child(
                node, [](const ast::Expr&) {}, [&](const ast::Stmt& inner) { stmt(inner, out, in_kernel); });
        case Kind::Assign:
            for (const ast::Expr* target : ast::to<ast::Assign>(node).targets)
                assignment(target, node, out);
            return;
        case Kind::AnnAssign: return assignment(ast::to<ast::AnnAssign>(node).target, node, out);
        default: return;
        }
    }

    const Document& m_document;
};

// What ends behind the text is a call that was added to it.
void clip(const Document& document, std::vector<OutlineNode>& nodes) {
    for (OutlineNode& node : nodes) {
        node.range = {document.clamp(node.range.begin), document.clamp(node.range.end)};
        node.name_range = {document.clamp(node.name_range.begin), document.clamp(node.name_range.end)};
        clip(document, node.children);
    }
}

void collect(const std::vector<OutlineNode>& nodes, std::uint32_t offset, const std::set<std::uint32_t>& heads,
             std::vector<Crumb>& out) {
    for (const OutlineNode& node : nodes) {
        bool is_scope =
            node.kind == OutlineKind::Function || node.kind == OutlineKind::Kernel || node.kind == OutlineKind::Class;
        bool is_block = node.kind == OutlineKind::Loop || node.kind == OutlineKind::With;
        bool holds =
            (is_scope && heads.contains(node.range.begin)) || ((is_scope || is_block) && node.range.touches(offset));
        if (!holds)
            continue;
        out.push_back({node.kind, node.name, node.range, node.name_range});
        return collect(node.children, offset, heads, out);
    }
}

} // namespace

std::vector<OutlineNode> outline(const Document& document) {
    return quietly<std::vector<OutlineNode>>(document, [&] {
        std::vector<OutlineNode> out = Outliner(document).run();
        clip(document, out);
        return out;
    });
}

std::vector<Crumb> breadcrumb(const Document& document, std::uint32_t offset) {
    return quietly<std::vector<Crumb>>(document, [&] {
        std::vector<Crumb> out;
        if (!document.is_readable())
            return out;
        offset = document.clamp(offset);
        std::set<std::uint32_t> heads;
        for (int at = document.names().scope_at(document.text(), offset); at > 0;
             at = document.names().scopes[static_cast<std::size_t>(at)].parent)
            heads.insert(document.names().scopes[static_cast<std::size_t>(at)].head);
        collect(outline(document), offset, heads, out);
        return out;
    });
}

} // namespace hidet::lang::service
