// SPDX-License-Identifier: Apache-2.0
// Numbers, constants, string and f-string literals.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "lang/parse/builder_state.h"
#include "lang/parse/unescape.h"

namespace hidet::lang {

namespace {

std::string without_underscores(std::string_view text) {
    std::string out(text);
    out.erase(std::remove(out.begin(), out.end(), '_'), out.end());
    return out;
}

void read_integer(std::string_view digits, int base, ast::Constant& node) {
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    (void)end;
    node.what = ast::ConstantKind::Int;
    node.too_big = error != std::errc{} || value > 0x7FFF'FFFF'FFFF'FFFFull;
    node.integer = static_cast<std::int64_t>(error == std::errc{} ? value : 0);
}

double read_real(const std::string& text) {
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    (void)end;
    // Out of range: infinity or nothing, as strtod says and Python does.
    return error == std::errc::result_out_of_range ? std::strtod(text.c_str(), nullptr) : value;
}

} // namespace

Expr* TreeBuilder::number(Index token) {
    ast::Constant node;
    std::string text = without_underscores(s.word(token));
    char radix = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : ' ';
    char last = text.empty() ? ' ' : text.back();
    if (radix == 'x' || radix == 'o' || radix == 'b') {
        read_integer(std::string_view(text).substr(2), radix == 'x' ? 16 : radix == 'o' ? 8 : 2, node);
    } else if (last == 'j' || last == 'J') {
        node.what = ast::ConstantKind::Imaginary;
        text.pop_back();
        node.real = read_real(text);
    } else if (text.find_first_of(".eE") != std::string::npos) {
        node.what = ast::ConstantKind::Float;
        node.real = read_real(text);
    } else {
        read_integer(text, 10, node);
        if (text.size() > 4300)
            s.fault(DiagId::SyntaxBadNumber, s.span(token), "decimal", text.substr(0, 12) + "...");
    }
    node.text = s.word(token);
    return s.node(s.span(token), node);
}

Expr* TreeBuilder::constant(Index token) {
    ast::Constant node;
    switch (s.token(token).kind) {
    case Tok::TRUE: node.what = ast::ConstantKind::True; break;
    case Tok::FALSE: node.what = ast::ConstantKind::False; break;
    case Tok::NONE: node.what = ast::ConstantKind::None; break;
    default: node.what = ast::ConstantKind::Ellipsis;
    }
    return s.node(s.span(token), node);
}

// ---- strings ----

Height TreeBuilder::begin_strings() {
    return s.pieces.size();
}

void TreeBuilder::string_piece(Index token) {
    s.pieces.push_back({token, nullptr});
}

void TreeBuilder::begin_format(Index token) {
    s.formats.push_back({s.parts.size(), string_form(s.text, s.token(token)).is_raw, {}});
}

static void push_literal(BuilderState& s, std::string_view text, std::uint32_t begin, bool is_raw) {
    ast::FStringPart part;
    Unescaped value = unescape(text, is_raw ? EscapeForm::Raw : EscapeForm::Text);
    if (!value.error.empty())
        s.fault(DiagId::SyntaxEscape, {s.file, begin + value.error_at, begin + value.error_end}, value.error);
    part.literal = s.arena.copy(value.text);
    s.parts.push_back(part);
}

void TreeBuilder::format_text(Index token) {
    bool is_raw = !s.formats.empty() && s.formats.back().is_raw;
    push_literal(s, s.word(token), s.token(token).begin, is_raw);
}

void TreeBuilder::begin_field(Index) {
    if (!s.formats.empty())
        s.formats.back().field = {};
}

void TreeBuilder::field_value(Expr* value) {
    if (!s.formats.empty())
        s.formats.back().field.value = s.or_error(value);
}

void TreeBuilder::field_debug(Index token) {
    if (!s.formats.empty())
        s.formats.back().field.debug_text = s.word(token);
}

void TreeBuilder::field_conversion(Index token) {
    if (!s.formats.empty() && !s.word(token).empty())
        s.formats.back().field.conversion = s.word(token).back();
}

void TreeBuilder::begin_spec() {
    if (s.formats.empty())
        return;
    s.formats.push_back({s.parts.size(), s.formats.back().is_raw, {}});
}

static ast::FString* finish_format(BuilderState& s, std::size_t first, Span where) {
    ast::FString node;
    std::vector<ast::FStringPart> parts;
    std::uint16_t depth = 0;
    for (std::size_t i = std::min(first, s.parts.size()); i < s.parts.size(); ++i) {
        const ast::FStringPart& part = s.parts[i];
        if (part.value)
            depth = std::max(depth, part.value->depth);
        if (part.spec)
            depth = std::max(depth, part.spec->depth);
        parts.push_back(part);
    }
    s.parts.resize(std::min(first, s.parts.size()));
    node.parts = s.arena.copy(parts);
    ast::FString* made = s.node(where, node);
    made->depth = static_cast<std::uint16_t>(depth + 1);
    return made;
}

void TreeBuilder::end_spec() {
    if (s.formats.size() < 2)
        return;
    FormatDraft spec = s.formats.back();
    s.formats.pop_back();
    Span where = s.formats.back().field.value ? s.formats.back().field.value->span : Span{};
    s.formats.back().field.spec = finish_format(s, spec.first_part, where);
}

void TreeBuilder::end_field() {
    if (s.formats.empty())
        return;
    ast::FStringPart& field = s.formats.back().field;
    if (!field.debug_text.empty() && !field.spec && field.conversion == 0)
        field.conversion = 'r';
    s.parts.push_back(field);
}

void TreeBuilder::end_format() {
    if (s.formats.empty())
        return;
    FormatDraft draft = s.formats.back();
    s.formats.pop_back();
    s.pieces.push_back({no_token, finish_format(s, draft.first_part, {})});
}

Expr* TreeBuilder::format_value(Height from, bool comma, Extent at) {
    Expr* value = tuple_or_single(from, comma, at);
    s.require_no_star(value);
    return value;
}

namespace {

class StringJoiner {
public:
    StringJoiner(BuilderState& state, Height from, Span where) : s(state), m_from(from), m_where(where) {}

    Expr* join() {
        for (std::size_t i = m_from; i < s.pieces.size(); ++i)
            look(s.pieces[i]);
        if (m_bytes && m_text) {
            s.fault(DiagId::SyntaxBytes, m_where, "bytes and text literals cannot be joined");
            return s.error(m_where);
        }
        return m_format ? format() : plain();
    }

private:
    void look(const StringPiece& piece) {
        if (piece.format)
            m_format = true;
        bool is_bytes = !piece.format && string_form(s.text, s.token(piece.token)).is_bytes;
        (is_bytes ? m_bytes : m_text) = true;
    }

    std::string read(Index index) {
        StringForm form = string_form(s.text, s.token(index));
        std::string_view text = s.text.substr(form.begin, form.end - form.begin);
        EscapeForm escapes = form.is_bytes ? (form.is_raw ? EscapeForm::RawBytes : EscapeForm::Bytes)
                                           : (form.is_raw ? EscapeForm::Raw : EscapeForm::Text);
        Unescaped value = unescape(text, escapes);
        if (!value.error.empty())
            s.fault(form.is_bytes ? DiagId::SyntaxBytes : DiagId::SyntaxEscape,
                    {s.file, form.begin + value.error_at, form.begin + value.error_end}, value.error);
        return std::move(value.text);
    }

    Expr* plain() {
        std::string text;
        for (std::size_t i = m_from; i < s.pieces.size(); ++i)
            text += read(s.pieces[i].token);
        ast::Constant node;
        node.what = m_bytes ? ast::ConstantKind::Bytes : ast::ConstantKind::String;
        node.text = s.arena.copy(text);
        return s.node(m_where, node);
    }

    // Neighbouring literal texts become one part.
    Expr* format() {
        std::vector<ast::FStringPart> parts;
        std::string text;
        std::uint16_t depth = 0;
        auto flush = [&] {
            if (!text.empty()) {
                ast::FStringPart part;
                part.literal = s.arena.copy(text);
                parts.push_back(part);
            }
            text.clear();
        };
        for (std::size_t i = m_from; i < s.pieces.size(); ++i) {
            const StringPiece& piece = s.pieces[i];
            if (!piece.format) {
                text += read(piece.token);
                continue;
            }
            depth = std::max(depth, piece.format->depth);
            for (const ast::FStringPart& part : piece.format->parts) {
                if (!part.value) {
                    text += part.literal;
                    continue;
                }
                flush();
                parts.push_back(part);
            }
        }
        flush();
        ast::FString node;
        node.parts = s.arena.copy(parts);
        ast::Expr deepest;
        deepest.depth = depth;
        return s.with_depth(s.node(m_where, node), {&deepest});
    }

    BuilderState& s;
    Height m_from;
    Span m_where;
    bool m_bytes = false, m_text = false, m_format = false;
};

} // namespace

Expr* TreeBuilder::strings(Height from, Extent at) {
    from = std::min(from, s.pieces.size());
    Expr* value = StringJoiner(s, from, s.span(at)).join();
    s.pieces.resize(from);
    return value;
}

} // namespace hidet::lang
