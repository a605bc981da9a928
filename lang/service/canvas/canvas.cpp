// SPDX-License-Identifier: Apache-2.0
// Which expression the caret means: the largest composition around it, else the nearest one on its line.
#include "lang/service/canvas/canvas.h"

#include "lang/service/canvas/canvas_parts.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

// Expressions from the outermost to the innermost that the offset is in.
class Path {
public:
    Path(const Document& document, std::uint32_t offset) : m_offset(offset) {
        for (const ast::Stmt* statement : document.tree().body)
            add(*statement);
    }
    const std::vector<const ast::Expr*>& exprs() const { return m_exprs; }

private:
    void add(const ast::Stmt& statement) {
        if (!text_range(statement).touches(m_offset))
            return;
        ast::each_child(
            statement, [this](const ast::Expr& expr) { add(expr); }, [this](const ast::Stmt& inner) { add(inner); });
    }
    void add(const ast::Expr& expr) {
        if (!text_range(expr).touches(m_offset) && !is_around(expr))
            return;
        m_exprs.push_back(&expr);
        ast::each_child(expr, [this](const ast::Expr& inner) { add(inner); });
    }
    // A call of what stands in parentheses begins behind the first one.
    bool is_around(const ast::Expr& expr) const {
        return expr.parenthesized && m_offset + 1 >= expr.span.begin && m_offset <= expr.span.end + 1;
    }

    std::uint32_t m_offset;
    std::vector<const ast::Expr*> m_exprs;
};

// Whether the picture of the outer expression is that of the inner one with more around it.
bool continues(const Document& document, const ast::Expr& outer, const ast::Expr& inner) {
    if (pictured_at(document, outer).empty())
        return false;
    if (const auto* binary = ast::as<ast::Binary>(&outer))
        return binary->op == ast::BinaryOp::Mul || binary->op == ast::BinaryOp::Add;
    const auto* call = ast::as<ast::Call>(&outer);
    if (!call)
        return false;
    const auto* method = ast::as<ast::Attribute>(call->callee);
    if (method && text_range(*method->object).covers(text_range(inner)) &&
        !pictured_at(document, *method->object).empty())
        return true;
    const auto* name = ast::as<ast::Name>(call->callee);
    return (name && name->id == "chain") || (method && method->name.text == "chain");
}

const ast::Expr* at_caret(const Document& document, std::uint32_t offset) {
    const Path path(document, offset);
    const auto& exprs = path.exprs();
    const ast::Expr* best = nullptr;
    for (std::size_t i = exprs.size(); i-- > 0;) {
        const ast::Expr& expr = *exprs[i];
        if (!best)
            best = pictured_at(document, expr).empty() ? nullptr : &expr;
        else if (continues(document, expr, *best))
            best = &expr;
        else if (text_range(expr).covers(text_range(*best)) && !ast::as<ast::Attribute>(&expr))
            break;
    }
    return best;
}

class OnLine {
public:
    OnLine(const Document& document, std::uint32_t offset) : m_document(document), m_offset(offset) {
        m_line = {start_of_line(document.text(), offset), end_of_line(document.text(), offset)};
        for (const ast::Stmt* statement : document.tree().body)
            add(*statement);
    }
    const ast::Expr* best() const { return m_best; }

private:
    bool meets(const ast::Node& node) const { return node.span.begin <= m_line.end && node.span.end >= m_line.begin; }
    void add(const ast::Stmt& statement) {
        if (meets(statement))
            ast::each_child(
                statement, [this](const ast::Expr& expr) { add(expr); },
                [this](const ast::Stmt& inner) { add(inner); });
    }
    void add(const ast::Expr& expr) {
        if (!meets(expr))
            return;
        // Tensors are on every line: only where one is declared it is meant.
        const bool is_use = ast::as<ast::Name>(&expr) || ast::as<ast::Subscript>(&expr);
        if (!is_use && !pictured_at(m_document, expr).empty()) {
            const Range range = text_range(expr);
            const std::uint32_t distance = m_offset < range.begin ? range.begin - m_offset : m_offset - range.end;
            if (!m_best || distance < m_distance) {
                m_best = &expr;
                m_distance = distance;
            }
            return;
        }
        ast::each_child(expr, [this](const ast::Expr& inner) { add(inner); });
    }

    const Document& m_document;
    std::uint32_t m_offset;
    Range m_line;
    const ast::Expr* m_best = nullptr;
    std::uint32_t m_distance = 0;
};

// Of a layout that is written where a tensor is declared: it says nothing of the elements, but the tensor does.
int element_bits_around(const Document& document, const ast::Expr& layout) {
    const Path path(document, text_range(layout).begin);
    for (const ast::Expr* outer : path.exprs()) {
        if (outer == &layout || !ast::as<ast::Call>(outer) || !text_range(*outer).covers(text_range(layout)))
            continue;
        for (const Pictured& pictured : pictured_at(document, *outer))
            if (pictured.element_bits > 0)
                return pictured.element_bits;
    }
    return 0;
}

void add_element_bits(const Document& document, const ast::Expr& expr, Canvas& out) {
    if (out.pictures.front().kind != CanvasKind::Layout || out.pictures.front().element_bits > 0)
        return;
    const int bits = element_bits_around(document, expr);
    for (CanvasPicture& picture : out.pictures)
        picture.element_bits = bits;
}

} // namespace

Canvas canvas(const Document& document, std::uint32_t offset) {
    return quietly<Canvas>(document, [&] {
        Canvas out;
        offset = document.clamp(offset);
        const ast::Expr* expr = at_caret(document, offset);
        if (!expr)
            expr = OnLine(document, offset).best();
        if (!expr || text_range(*expr).end > document.text().size())
            return out;
        out.range = out.source = text_range(*expr);
        for (const Pictured& pictured : pictured_at(document, *expr))
            out.pictures.push_back(picture_of(pictured));
        add_element_bits(document, *expr, out);
        const Path around(document, out.range.begin);
        out.threads = threads_that_ask(document, around.exprs(), out.range);
        const bool is_composition = out.pictures.front().title.empty();
        const ast::Expr* source = is_composition ? composition_of(document, *expr) : nullptr;
        if (source && text_range(*source).end <= document.text().size()) {
            out.source = text_range(*source);
            out.factors = factors_of(document, *source);
        }
        out.text = document.at(out.source);
        for (std::size_t i = 0; out.pictures.size() > 1 && is_composition && i < out.pictures.size(); ++i)
            out.pictures[i].title = std::to_string(i + 1) + " of " + std::to_string(out.pictures.size()) + " values";
        return out;
    });
}

} // namespace hidet::lang::service
