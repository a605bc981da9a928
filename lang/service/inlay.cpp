// SPDX-License-Identifier: Apache-2.0
// Hints between the words: what a variable of a kernel is, and what host code makes of an expression.
#include <algorithm>

#include "lang/service/blocks.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

namespace {

constexpr std::size_t longest_label = 48;

bool is_literal(const ast::Expr* value) {
    const ast::Kind kind = value->kind;
    if (const auto* sign = ast::as<ast::Unary>(value))
        return is_literal(sign->operand);
    return kind == ast::Kind::Constant || kind == ast::Kind::FString || kind == ast::Kind::List ||
           kind == ast::Kind::Tuple || kind == ast::Kind::Dict || kind == ast::Kind::Set || kind == ast::Kind::Lambda;
}

class Hinter {
public:
    explicit Hinter(const Document& document) : m_document(document) {}

    std::vector<InlayHint> run() {
        block(m_document.tree().body);
        std::ranges::stable_sort(m_out, {}, &InlayHint::offset);
        return std::move(m_out);
    }

private:
    void add(InlayHint::Kind kind, std::uint32_t offset, std::string label) {
        if (offset <= m_document.text().size() && label.size() <= longest_label)
            m_out.push_back({kind, offset, std::move(label)});
    }
    const Fact* fact_of(Span span) const { return m_document.facts.find({span.begin, span.end}); }

    // The one value that it always had.
    static std::string value_of(const Fact* fact) {
        bool is_value = fact && !fact->is_script && !fact->is_unknown && fact->values.size() == 1 &&
                        !fact->has_more_values && fact->kind != ItemKind::Type;
        return is_value ? fact->values[0] : "";
    }

    void block(ast::Block statements) {
        for (const ast::Stmt* statement : statements) {
            if (const auto* s = ast::as<ast::Assign>(statement))
                assignment(*s);
            else if (const auto* def = ast::as<ast::FunctionDef>(statement))
                parameters(*def);
            for (ast::Block inner : blocks_of(*statement))
                block(inner);
        }
    }

    void assignment(const ast::Assign& node) {
        if (node.targets.size() != 1 || !node.value)
            return;
        if (const auto* name = ast::as<ast::Name>(node.targets[0]))
            variable(*name);
        if (std::string value = value_of(fact_of(node.value->span)); !value.empty() && !is_literal(node.value))
            add(InlayHint::Kind::Value, node.value->span.end + (node.value->parenthesized ? 1 : 0), "= " + value);
    }

    // Where it is bound first: what exists when the kernel runs, and tensors.
    void variable(const ast::Name& name) {
        const Range range{name.span.begin, name.span.end};
        const Occurrence* use = m_document.names().occurrence_at(range.begin);
        const Fact* fact = m_document.facts.find(range);
        if (!use || use->binding < 0 || !fact || fact->is_unknown || fact->type.empty())
            return;
        const Binding& binding = m_document.names().bindings[static_cast<std::size_t>(use->binding)];
        bool is_worth = fact->is_script || fact->kind == ItemKind::Tensor;
        if (binding.definition == range && is_worth)
            add(InlayHint::Kind::Type, range.end, ": " + (fact->scope.empty() ? "" : fact->scope + " ") + fact->type);
    }

    void parameters(const ast::FunctionDef& def) {
        for (const ast::Param& param : def.params) {
            std::string value = value_of(fact_of(param.name.span));
            bool is_default = param.default_value && is_literal(param.default_value) && // which says it already
                              value == m_document.at({param.default_value->span.begin, param.default_value->span.end});
            if (!value.empty() && !param.annotation && !is_default)
                add(InlayHint::Kind::Value, param.name.span.end, "= " + value);
        }
    }

    const Document& m_document;
    std::vector<InlayHint> m_out;
};

} // namespace

std::vector<InlayHint> inlay_hints(const Document& document) {
    return quietly<std::vector<InlayHint>>(
        document, [&] { return document.is_readable() ? Hinter(document).run() : std::vector<InlayHint>(); });
}

} // namespace hidet::lang::service
