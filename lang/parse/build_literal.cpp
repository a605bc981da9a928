// SPDX-License-Identifier: Apache-2.0
// Numbers, constants, string and f-string literals.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

namespace {

// ---- the value of the text between the quotes of a literal ----

enum class EscapeForm : std::uint8_t { Text, Raw, Bytes, RawBytes };

struct Unescaped {
    std::string text;
    std::string error; // empty: fine
    std::uint32_t error_at = 0;
    std::uint32_t error_end = 0;
};

int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = static_cast<char>(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

class Reader {
public:
    Reader(std::string_view text, EscapeForm form)
        : m_text(text), m_bytes(form == EscapeForm::Bytes || form == EscapeForm::RawBytes),
          m_raw(form == EscapeForm::Raw || form == EscapeForm::RawBytes) {}

    Unescaped run() {
        while (m_at < m_text.size() && m_out.error.empty())
            step();
        return std::move(m_out);
    }

private:
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }

    void fail(std::size_t begin, std::size_t end, std::string what) {
        m_out.error = std::move(what);
        m_out.error_at = static_cast<std::uint32_t>(begin);
        m_out.error_end = static_cast<std::uint32_t>(end);
    }

    void step() {
        char c = peek();
        if (c == '\r') { // line ends are '\n' in a value
            m_out.text += '\n';
            m_at += peek(1) == '\n' ? 2 : 1;
        } else if (m_bytes && static_cast<unsigned char>(c) >= 0x80) {
            fail(m_at, m_at + 1, "bytes can only hold ASCII characters; write others as \\x..");
        } else if (c == '\\' && !m_raw) {
            ++m_at;
            escape();
        } else {
            m_out.text += c;
            ++m_at;
        }
    }

    void escape() {
        std::size_t begin = m_at - 1;
        char c = peek();
        ++m_at;
        switch (c) {
        case '\n': return;
        case '\r': m_at += peek() == '\n' ? 1 : 0; return;
        case '\\':
        case '\'':
        case '"': m_out.text += c; return;
        case 'a': m_out.text += '\a'; return;
        case 'b': m_out.text += '\b'; return;
        case 'f': m_out.text += '\f'; return;
        case 'n': m_out.text += '\n'; return;
        case 'r': m_out.text += '\r'; return;
        case 't': m_out.text += '\t'; return;
        case 'v': m_out.text += '\v'; return;
        case 'x': return code(begin, 2);
        case 'u': return m_bytes ? keep(begin) : code(begin, 4);
        case 'U': return m_bytes ? keep(begin) : code(begin, 8);
        case 'N': return m_bytes ? keep(begin) : named(begin);
        default: break;
        }
        if (c >= '0' && c <= '7')
            octal(c);
        else
            keep(begin);
    }

    // An unknown escape stands for itself.
    void keep(std::size_t begin) {
        m_out.text += '\\';
        m_at = begin + 1;
        if (m_at >= m_text.size())
            return;
        if (m_bytes && static_cast<unsigned char>(peek()) >= 0x80)
            return;
        m_out.text += m_text[m_at++];
    }

    void octal(char first) {
        std::uint32_t value = static_cast<std::uint32_t>(first - '0');
        for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i)
            value = value * 8 + static_cast<std::uint32_t>(m_text[m_at++] - '0');
        append(value);
    }

    void code(std::size_t begin, int digits) {
        std::uint32_t value = 0;
        for (int i = 0; i < digits; ++i, ++m_at) {
            int digit = m_at < m_text.size() ? hex_digit(m_text[m_at]) : -1;
            if (digit < 0)
                return fail(begin, m_at,
                            std::string("this escape needs ") + std::to_string(digits) + " hexadecimal digits");
            value = value << 4 | static_cast<std::uint32_t>(digit);
        }
        if (value > 0x10FFFF)
            return fail(begin, m_at, "this escape is beyond the last character U+10FFFF");
        append(value);
    }

    // There is no table of the names of 150,000 characters here: refused rather than silently different.
    void named(std::size_t begin) {
        std::size_t close = peek() == '{' ? m_text.find('}', m_at) : std::string_view::npos;
        if (close == std::string_view::npos || close == m_at + 1)
            return fail(begin, m_at, "\\N needs the name of a character in braces");
        fail(begin, close + 1, "names of characters are not supported; write the character itself or its \\u number");
    }

    void append(std::uint32_t code) {
        if (m_bytes || code < 0x80) {
            m_out.text += static_cast<char>(code);
        } else if (code < 0x800) {
            m_out.text += static_cast<char>(0xC0 | code >> 6);
            m_out.text += static_cast<char>(0x80 | (code & 63));
        } else if (code < 0x10000) {
            m_out.text += static_cast<char>(0xE0 | code >> 12);
            m_out.text += static_cast<char>(0x80 | (code >> 6 & 63));
            m_out.text += static_cast<char>(0x80 | (code & 63));
        } else {
            m_out.text += static_cast<char>(0xF0 | code >> 18);
            m_out.text += static_cast<char>(0x80 | (code >> 12 & 63));
            m_out.text += static_cast<char>(0x80 | (code >> 6 & 63));
            m_out.text += static_cast<char>(0x80 | (code & 63));
        }
    }

    std::string_view m_text;
    bool m_bytes;
    bool m_raw;
    std::size_t m_at = 0;
    Unescaped m_out;
};

Unescaped unescape(std::string_view text, EscapeForm form) {
    return Reader(text, form).run();
}

// ---- nodes ----

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

Expr* ExpressionBuilder::number(Index token) {
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

Expr* ExpressionBuilder::constant(Index token) {
    const Tok word = s.token(token).kind;
    const auto what = word == Tok::TRUE    ? ast::ConstantKind::True
                      : word == Tok::FALSE ? ast::ConstantKind::False
                      : word == Tok::NONE  ? ast::ConstantKind::None
                                           : ast::ConstantKind::Ellipsis;
    return s.node(s.span(token), ast::Constant{{}, what, false, 0, 0, {}});
}

// ---- strings ----

Height StringBuilder::begin_strings() {
    return s.pieces.size();
}

void StringBuilder::string_piece(Index token) {
    s.pieces.push_back({token, nullptr});
}

void StringBuilder::begin_format(Index token) {
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

void StringBuilder::format_text(Index token) {
    bool is_raw = !s.formats.empty() && s.formats.back().is_raw;
    push_literal(s, s.word(token), s.token(token).begin, is_raw);
}

void StringBuilder::begin_field(Index) {
    if (!s.formats.empty())
        s.formats.back().field = {};
}

void StringBuilder::field_value(Expr* value) {
    if (!s.formats.empty())
        s.formats.back().field.value = s.or_error(value);
}

void StringBuilder::field_debug(Index token) {
    if (!s.formats.empty())
        s.formats.back().field.debug_text = s.word(token);
}

void StringBuilder::field_conversion(Index token) {
    if (!s.formats.empty() && !s.word(token).empty())
        s.formats.back().field.conversion = s.word(token).back();
}

void StringBuilder::begin_spec() {
    if (s.formats.empty())
        return;
    s.formats.push_back({s.parts.size(), s.formats.back().is_raw, {}});
}

static ast::FString* finish_format(BuilderState& s, std::size_t first, Span where) {
    ast::FString* made = s.node(where, ast::FString{{}, s.take(s.parts, first)});
    made->depth = static_cast<std::uint16_t>(depth_below(*made) + 1);
    return made;
}

void StringBuilder::end_spec() {
    if (s.formats.size() < 2)
        return;
    FormatDraft spec = s.formats.back();
    s.formats.pop_back();
    Span where = s.formats.back().field.value ? s.formats.back().field.value->span : Span{};
    s.formats.back().field.spec = finish_format(s, spec.first_part, where);
}

void StringBuilder::end_field() {
    if (s.formats.empty())
        return;
    ast::FStringPart& field = s.formats.back().field;
    if (!field.debug_text.empty() && !field.spec && field.conversion == 0)
        field.conversion = 'r';
    s.parts.push_back(field);
}

void StringBuilder::end_format() {
    if (s.formats.empty())
        return;
    FormatDraft draft = s.formats.back();
    s.formats.pop_back();
    s.pieces.push_back({no_token, finish_format(s, draft.first_part, {})});
}

Expr* StringBuilder::format_value(Height from, bool comma, Extent at) {
    return s.builder.match.subject(from, comma, at);
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
        const auto what = m_bytes ? ast::ConstantKind::Bytes : ast::ConstantKind::String;
        return s.node(m_where, ast::Constant{{}, what, false, 0, 0, s.arena.copy(text)});
    }

    // Neighbouring literal texts become one part.
    Expr* format() {
        std::vector<ast::FStringPart> parts;
        std::string text;
        std::uint16_t depth = 0;
        auto flush = [&] {
            if (!text.empty())
                parts.push_back({s.arena.copy(text), nullptr, 0, {}, nullptr});
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
        return s.with_depth(s.node(m_where, ast::FString{{}, s.arena.copy(parts)}), depth);
    }

    BuilderState& s;
    Height m_from;
    Span m_where;
    bool m_bytes = false, m_text = false, m_format = false;
};

} // namespace

Expr* StringBuilder::strings(Height from, Extent at) {
    from = std::min(from, s.pieces.size());
    Expr* value = StringJoiner(s, from, s.span(at)).join();
    s.pieces.resize(from);
    return value;
}

} // namespace hidet::lang
