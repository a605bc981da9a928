// SPDX-License-Identifier: Apache-2.0
// Changes of a composition as edits of its text. A number is replaced where it is written; what changes the order writes the
// composition again out of the texts of its factors, in the form that it had: behind dots, or as a product.
#include <algorithm>

#include "lang/base/text.h"
#include "lang/service/canvas/canvas_parts.h"
#include "lang/service/lookup.h"

namespace hidet::lang::service {

namespace {

struct Maker {
    CanvasKind kind;
    const char* function;
    const char* method; // what the same is called behind a dot; "": nothing
};
constexpr Maker makers[] = {
    {CanvasKind::Mapping, "spatial", "spatial"},           {CanvasKind::Mapping, "repeat", "repeat"},
    {CanvasKind::Mapping, "row_spatial", "spatial"},       {CanvasKind::Mapping, "row_repeat", "repeat"},
    {CanvasKind::Layout, "row_major", "row_major"},        {CanvasKind::Layout, "column_major", "column_major"},
    {CanvasKind::Layout, "local_layout", "local"},         {CanvasKind::Layout, "row_layout", "row_major"},
    {CanvasKind::Layout, "column_layout", "column_major"},
};

CanvasKind kind_of(const Canvas& canvas) {
    return canvas.pictures.front().kind;
}

const char* method_of(CanvasKind kind, std::string_view function) {
    for (const Maker& maker : makers)
        if (maker.kind == kind && function == maker.function)
            return maker.method;
    return "";
}

const char* function_of(CanvasKind kind, std::string_view method) {
    for (const Maker& maker : makers)
        if (maker.kind == kind && method == maker.method)
            return maker.function;
    return "";
}

// A factor as a piece of text: the name in front of its parenthesis, and what follows.
struct FactorText {
    std::string name; // empty: `rest` is all of it
    std::string rest;
    bool is_method = false;
    bool is_atom = true;
    bool is_modifier = false; // of all that stands before it
};

class Writer {
public:
    Writer(const Document& document, const Canvas& canvas) : m_document(document), m_canvas(canvas) {
        for (const CanvasFactor& factor : canvas.factors)
            m_pieces.push_back(piece_of(factor));
        m_scope = document.names().scope_at(document.text(), canvas.source.begin);
        m_is_chain = canvas.factors.size() > 1 && canvas.factors.back().is_method;
    }
    std::vector<FactorText>& pieces() { return m_pieces; }

    FactorText added(std::string_view name) const {
        std::string ones;
        for (std::size_t d = 0; d < m_canvas.pictures.front().shape.size(); ++d)
            ones += d ? ", 1" : "1";
        FactorText out;
        out.name = name;
        out.rest = cat("(", ones, ")");
        out.is_method = *method_of(kind_of(m_canvas), name) != '\0' && (m_is_chain || m_pieces.size() == 1);
        if (out.is_method)
            out.name = method_of(kind_of(m_canvas), name);
        return out;
    }

    CanvasChange write() {
        for (Range comment : m_document.comments())
            if (m_canvas.source.covers(comment))
                m_change.refusal = "a comment stands between the factors, and would be lost";
        std::string text = alone(m_pieces.front());
        bool is_product = false;
        for (std::size_t i = 1; i < m_pieces.size(); ++i) {
            if (const std::string method = behind_dot(m_pieces[i]); !method.empty()) {
                text = cat(is_product ? "(" : "", text, is_product ? ")" : "", ".", method);
                is_product = false;
            } else {
                text += " * " + alone(m_pieces[i]);
                is_product = true;
            }
        }
        if (is_product && !stands_as_product())
            text = "(" + text + ")";
        if (!m_change.refusal.empty())
            return {{}, m_change.refusal};
        m_change.edits.push_back({m_canvas.source, std::move(text)});
        std::ranges::sort(m_change.edits, {}, [](const Edit& edit) { return edit.range.begin; });
        return std::move(m_change);
    }

private:
    FactorText piece_of(const CanvasFactor& factor) const {
        FactorText out;
        const std::string text(m_document.at(factor.range));
        out.is_method = factor.is_method;
        out.is_atom = factor.is_atom;
        out.is_modifier = !factor.refusal.empty();
        const std::size_t name = text.find(factor.name + "(");
        const bool is_call = !factor.name.empty() && name != std::string::npos && factor.is_atom;
        out.name = is_call ? text.substr(0, name + factor.name.size()) : "";
        out.rest = is_call ? text.substr(name + factor.name.size()) : text;
        return out;
    }

    std::string last_name(const FactorText& piece) const { return piece.name.substr(piece.name.rfind('.') + 1); }

    // Empty: it cannot stand there.
    std::string behind_dot(const FactorText& piece) const {
        if (piece.is_method)
            return piece.name + piece.rest;
        const std::string method = method_of(kind_of(m_canvas), last_name(piece));
        return m_is_chain && !method.empty() ? method + piece.rest : "";
    }

    std::string alone(const FactorText& piece) {
        if (piece.is_modifier && m_change.refusal.empty())
            m_change.refusal = cat(piece.name, "() needs something before it");
        if (!piece.is_method)
            return piece.name.empty() && !piece.is_atom ? "(" + piece.rest + ")" : piece.name + piece.rest;
        const std::string function = function_of(kind_of(m_canvas), piece.name);
        return prefix_for(function) + function + piece.rest;
    }

    // As in `lang.spatial(...)`; what is not known yet is imported beside a name of the same module.
    std::string prefix_for(const std::string& function) {
        if (find_name(m_document, m_scope, function).known())
            return "";
        for (const CanvasFactor& factor : m_canvas.factors) {
            const std::string text(m_document.at(factor.range));
            const std::size_t dot = text.substr(0, text.find('(')).rfind('.');
            if (!factor.is_method && dot != std::string::npos)
                return text.substr(0, dot + 1);
        }
        for (const Binding& binding : m_document.names().bindings)
            if (binding.scope == 0 && !binding.member.empty() &&
                find_in_module(m_document, binding.module, function).known()) {
                const Range behind{binding.definition.end, binding.definition.end};
                const Edit import{behind, ", " + function};
                if (std::ranges::none_of(m_change.edits, [&](const Edit& edit) { return edit.text == import.text; }))
                    m_change.edits.push_back(import);
                return "";
            }
        m_change.refusal = cat("'", function, "' is not imported here");
        return "";
    }

    // What stands around the text takes a product without parentheses: it was one, or has them.
    bool stands_as_product() const {
        const std::string& text = m_document.text();
        const Range source = m_canvas.source;
        const bool was_product =
            !m_is_chain && m_canvas.factors.size() > 1 && !std::string_view(m_canvas.text).starts_with("chain(");
        const bool is_in_parentheses =
            source.begin > 0 && text[source.begin - 1] == '(' && source.end < text.size() && text[source.end] == ')';
        return was_product || is_in_parentheses;
    }

    const Document& m_document;
    const Canvas& m_canvas;
    std::vector<FactorText> m_pieces;
    int m_scope = 0;
    bool m_is_chain = false;
    CanvasChange m_change;
};

CanvasChange refused(std::string why) {
    return {{}, std::move(why)};
}

template <class F>
CanvasChange changed(const Document& document, const Canvas& canvas, F&& change) {
    return quietly<CanvasChange>(document, [&] {
        if (canvas.factors.empty() || canvas.pictures.empty())
            return refused("it is no composition that is written here");
        if (canvas.source.end > document.text().size() || document.at(canvas.source) != canvas.text)
            return refused("the text has changed since");
        return change();
    });
}

} // namespace

CanvasChange set_number(const Document& document, const Canvas& canvas, std::size_t factor, std::size_t number,
                        std::int64_t value) {
    return changed(document, canvas, [&]() -> CanvasChange {
        if (factor >= canvas.factors.size() || number >= canvas.factors[factor].numbers.size())
            return refused("there is no such number");
        const CanvasFactor& changed = canvas.factors[factor];
        const CanvasNumber& from = changed.numbers[number];
        if (from.literal.empty())
            return refused(cat("'", from.text, "' ", from.refusal));
        const std::int64_t least = changed.name == "swizzle" ? 0 : 1;
        if (value < least)
            return refused(cat("it is at least ", least));
        return {{{from.literal, std::to_string(value)}}, ""};
    });
}

CanvasChange add_factor(const Document& document, const Canvas& canvas, std::size_t behind, std::string_view name) {
    return changed(document, canvas, [&]() -> CanvasChange {
        const std::vector<std::string> known = added_factors(canvas);
        if (std::ranges::find(known, name) == known.end())
            return refused(cat("'", name, "' is no factor of it"));
        Writer writer(document, canvas);
        const std::size_t at = std::min(behind + 1, canvas.factors.size());
        writer.pieces().insert(writer.pieces().begin() + static_cast<std::ptrdiff_t>(at), writer.added(name));
        return writer.write();
    });
}

CanvasChange remove_factor(const Document& document, const Canvas& canvas, std::size_t factor) {
    return changed(document, canvas, [&]() -> CanvasChange {
        if (factor >= canvas.factors.size())
            return refused("there is no such factor");
        if (canvas.factors.size() == 1)
            return refused("it is the only factor");
        Writer writer(document, canvas);
        writer.pieces().erase(writer.pieces().begin() + static_cast<std::ptrdiff_t>(factor));
        return writer.write();
    });
}

CanvasChange swap_factors(const Document& document, const Canvas& canvas, std::size_t left) {
    return changed(document, canvas, [&]() -> CanvasChange {
        if (left + 1 >= canvas.factors.size())
            return refused("there is no factor behind it");
        for (const CanvasFactor* factor : {&canvas.factors[left], &canvas.factors[left + 1]})
            if (!factor->refusal.empty())
                return refused(factor->refusal);
        Writer writer(document, canvas);
        std::swap(writer.pieces()[left], writer.pieces()[left + 1]);
        return writer.write();
    });
}

std::vector<std::string> added_factors(const Canvas& canvas) {
    if (canvas.pictures.empty() || canvas.factors.empty())
        return {};
    if (kind_of(canvas) == CanvasKind::Mapping)
        return {"spatial", "repeat"};
    return {"row_major", "column_major", "local_layout"};
}

} // namespace hidet::lang::service
