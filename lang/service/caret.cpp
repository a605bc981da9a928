// SPDX-License-Identifier: Apache-2.0
#include "lang/service/caret.h"

#include <algorithm>

#include "lang/base/ascii.h"
#include "lang/service/text_walk.h"

namespace hidet::lang::service {

namespace {

// The stretch of code inside of a string that the offset stands in: f"{here}"; empty when it is text.
Range code_in_string(std::string_view text, const Token& token, std::uint32_t offset) {
    StringForm form = string_form(text, token);
    if (!form.is_format)
        return {};
    std::vector<std::uint32_t> open;
    for (std::uint32_t at = form.begin; at < offset && at < form.end; ++at) {
        bool doubled = at + 1 < form.end && text[at + 1] == text[at];
        if (text[at] == '{' && open.empty() && doubled)
            ++at;
        else if (text[at] == '{')
            open.push_back(at + 1);
        else if (text[at] == '}' && !open.empty())
            open.pop_back();
    }
    return open.empty() ? Range{} : Range{open.back(), std::max(open.back(), form.end)};
}

// The tokens up to a place, those of the code in a format string if it stands in one.
class TokensBefore {
public:
    TokensBefore(const Document& document, std::uint32_t offset) : m_document(document) {
        auto after = std::upper_bound(document.tokens().begin(), document.tokens().end(), offset,
                                      [](std::uint32_t o, const Token& token) { return o < token.begin; });
        for (Range comment : document.comments())
            if (comment.begin < offset && offset <= comment.end)
                m_in_text = true;
        if (after != document.tokens().begin()) {
            const Token& last = *std::prev(after);
            bool is_string = last.kind == Tok::STRING || last.kind == Tok::BAD_ATOM;
            if (is_string && is_open_at(last, offset)) {
                Range code = last.kind == Tok::STRING ? code_in_string(document.text(), last, offset) : Range{};
                if (code.empty()) {
                    m_in_text = true;
                    return;
                }
                Faults faults(1);
                Scanned scanned;
                scan(document.text(), {code.begin, code.end}, scanned, faults);
                m_own = std::move(scanned.tokens);
                m_tokens = &m_own;
            }
        }
        m_count = static_cast<std::size_t>(
            std::upper_bound(m_tokens->begin(), m_tokens->end(), offset,
                             [](std::uint32_t o, const Token& token) { return o < token.end; }) -
            m_tokens->begin());
    }
    TokensBefore(const TokensBefore&) = delete;

    bool in_text() const { return m_in_text; }
    std::size_t count() const { return m_count; }
    const Token& at(std::size_t i) const { return (*m_tokens)[i]; }
    Tok kind(std::size_t i) const { return i < m_count ? at(i).kind : Tok::LINE_END; }
    Tok back(std::size_t n = 1) const { return n <= m_count ? at(m_count - n).kind : Tok::LINE_END; }
    std::string word(std::size_t i) const { return std::string(m_document.at({at(i).begin, at(i).end})); }

    // The first token of the logical line that the place stands in.
    std::size_t line() const {
        std::size_t i = m_count;
        int depth = 0;
        while (i > 0) {
            Tok kind = at(i - 1).kind;
            depth += closes_bracket(kind) ? 1 : opens_bracket(kind) ? -1 : 0;
            if (kind == Tok::SEMICOLON && depth <= 0)
                break;
            if (kind == Tok::LINE_END && depth <= 0 && !is_in_bracket(i - 1))
                break;
            --i;
        }
        return i;
    }

    // NAME . NAME . NAME, whose last token is at(end - 1)
    DottedName dotted(std::size_t end) const {
        DottedName out;
        std::size_t i = end;
        while (i > 0 && at(i - 1).kind == Tok::NAME) {
            out.parts.insert(out.parts.begin(), word(i - 1));
            out.range = {at(i - 1).begin, at(end - 1).end};
            --i;
            if (i == 0 || at(i - 1).kind != Tok::DOT)
                return out;
            --i;
        }
        out.is_whole = false;
        if (end > 0 && out.parts.empty())
            out.range = {at(end - 1).begin, at(end - 1).end};
        return out;
    }

private:
    static bool is_open_at(const Token& token, std::uint32_t offset) {
        return token.begin < offset && offset <= token.end;
    }
    // Whether a bracket is open at the end of a line, as far as its neighbourhood shows.
    bool is_in_bracket(std::size_t line_end) const {
        int depth = 0;
        for (std::size_t i = line_end, lines = 0; i > 0 && lines < 60; --i) {
            Tok kind = at(i - 1).kind;
            if (kind == Tok::LINE_END) {
                ++lines;
                if (begins_statement(i))
                    return false;
            }
            depth += closes_bracket(kind) ? -1 : opens_bracket(kind) ? 1 : 0;
            if (depth > 0)
                return true;
        }
        return false;
    }
    bool begins_statement(std::size_t i) const {
        switch (kind(i)) {
        case Tok::DEF:
        case Tok::CLASS:
        case Tok::RETURN:
        case Tok::IMPORT:
        case Tok::WHILE:
        case Tok::WITH:
        case Tok::TRY:
        case Tok::ASSERT:
        case Tok::RAISE:
        case Tok::PASS:
        case Tok::BREAK:
        case Tok::CONTINUE: return true;
        default: return false;
        }
    }

    const Document& m_document;
    Tokens m_own;
    const Tokens* m_tokens = &m_document.tokens();
    std::size_t m_count = 0;
    bool m_in_text = false;
};

bool is_made_up_after(Tok kind) { // a name that does not exist yet
    return kind == Tok::DEF || kind == Tok::CLASS || kind == Tok::AS;
}

bool is_annotation(const TokensBefore& tokens, std::size_t line) {
    if (tokens.back() == Tok::ARROW)
        return true;
    std::size_t n = tokens.count();
    bool after_colon = n >= 2 && tokens.kind(n - 1) == Tok::COLON && tokens.kind(n - 2) == Tok::NAME;
    if (!after_colon)
        return false;
    if (tokens.kind(line) == Tok::DEF)
        return true;
    return line == n - 2; // name: type
}

} // namespace

Caret caret_at(const Document& document, std::uint32_t offset) {
    Caret out;
    offset = document.clamp(offset);
    std::string_view text = document.text();
    out.word = {offset, offset};
    while (out.word.begin > 0 && is_name_byte(text[out.word.begin - 1]))
        --out.word.begin;
    while (out.word.end < text.size() && is_name_byte(text[out.word.end]))
        ++out.word.end;
    out.typed = document.at({out.word.begin, offset});
    TokensBefore tokens(document, out.word.begin);
    bool is_number = !out.typed.empty() && out.typed[0] >= '0' && out.typed[0] <= '9';
    if (!document.is_readable() || is_number || TokensBefore(document, offset).in_text() || tokens.in_text() ||
        is_made_up_after(tokens.back())) {
        out.where = Caret::Where::Nowhere;
        return out;
    }
    std::size_t line = tokens.line();
    out.starts_statement = line == tokens.count();
    Tok first = tokens.kind(line);
    if (first == Tok::FROM && line < tokens.count()) {
        std::size_t at = line + 1;
        while (at < tokens.count() && tokens.kind(at) != Tok::IMPORT)
            ++at;
        if (at < tokens.count()) {
            out.where = Caret::Where::ImportMember;
            out.object = tokens.dotted(at);
            return out;
        }
        bool finished = tokens.back() == Tok::NAME;
        out.where = finished ? Caret::Where::Code : Caret::Where::ImportName;
        if (tokens.back() == Tok::DOT)
            out.object = tokens.dotted(tokens.count() - 1);
        return out;
    }
    if (first == Tok::IMPORT && line < tokens.count()) {
        out.where = Caret::Where::ImportName;
        if (tokens.back() == Tok::DOT)
            out.object = tokens.dotted(tokens.count() - 1);
        return out;
    }
    if (tokens.back() == Tok::DOT) {
        out.where = Caret::Where::Member;
        out.object = tokens.dotted(tokens.count() - 1);
        return out;
    }
    if (is_annotation(tokens, line))
        out.where = Caret::Where::Annotation;
    return out;
}

std::optional<CallAt> call_at(const Document& document, std::uint32_t offset) {
    offset = document.clamp(offset);
    TokensBefore tokens(document, offset);
    if (tokens.in_text() || !document.is_readable())
        return std::nullopt;
    CallAt out;
    int depth = 0;
    bool in_argument = true; // of the caret
    for (std::size_t i = tokens.count(); i > 0; --i) {
        const Token& token = tokens.at(i - 1);
        if (closes_bracket(token.kind)) {
            ++depth;
        } else if (opens_bracket(token.kind)) {
            if (depth-- > 0)
                continue;
            Tok before = i >= 2 ? tokens.kind(i - 2) : Tok::LINE_END;
            bool is_def = i >= 3 && (tokens.kind(i - 3) == Tok::DEF || tokens.kind(i - 3) == Tok::CLASS);
            if (is_def)
                return std::nullopt;
            if (token.kind != Tok::LPAREN || (before != Tok::NAME && !closes_bracket(before))) {
                out = CallAt(); // a list, an index or a group in an argument
                depth = 0;
                in_argument = true;
                continue;
            }
            out.callee = tokens.dotted(i - 1);
            out.open = token.begin;
            return out;
        } else if (depth == 0 && token.kind == Tok::COMMA) {
            ++out.argument;
            in_argument = false;
        } else if (depth == 0 && token.kind == Tok::EQUAL && i >= 2 && tokens.kind(i - 2) == Tok::NAME) {
            if (in_argument)
                out.keyword = tokens.word(i - 2);
            out.keywords.push_back(tokens.word(i - 2));
        } else if (depth == 0 && (token.kind == Tok::COLON || token.kind == Tok::SEMICOLON)) {
            if (token.kind == Tok::SEMICOLON)
                return std::nullopt;
        } else if (token.kind == Tok::LINE_END && depth == 0) {
            Tok next = tokens.kind(i);
            bool is_statement = is_keyword(next) && next != Tok::FOR && next != Tok::IF && next != Tok::IN &&
                                next != Tok::NOT && next != Tok::LAMBDA && next != Tok::TRUE && next != Tok::FALSE &&
                                next != Tok::NONE && next != Tok::AND && next != Tok::OR && next != Tok::ELSE;
            if (is_statement && i < tokens.count())
                return std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace hidet::lang::service
