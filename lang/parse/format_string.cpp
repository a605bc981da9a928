// SPDX-License-Identifier: Apache-2.0
//
// The inside of an f-string, by the rules of Python 3.11: an expression holds no backslash, no comment and none of the
// quotes around it, and ends at the first '!', ':', '=' or '}' outside of its own brackets and strings.
#include "lang/parse/logical_lines.h"

namespace hidet::lang {

namespace {

struct Failed {};

class FormatSplitter {
public:
    FormatSplitter(std::string_view text, const Token& token, Tokens& out, Faults& faults)
        : m_text(text), m_token(token), m_form(string_form(text, token)), m_out(out), m_faults(faults),
          m_at(m_form.begin) {}

    void run() {
        std::size_t before = m_out.size();
        emit(Tok::FS_BEGIN, m_token.begin, m_form.begin);
        try {
            parts(0);
            emit(Tok::FS_END, m_form.end, m_token.end);
        } catch (const Failed&) {
            m_out.resize(before);
            emit(Tok::BAD_ATOM, m_token.begin, m_token.end);
        }
    }

private:
    static constexpr int max_spec_depth = 2;

    char peek(std::uint32_t ahead = 0) const { return m_at + ahead < m_form.end ? m_text[m_at + ahead] : '\0'; }
    bool done() const { return m_at >= m_form.end; }
    void emit(Tok kind, std::uint32_t begin, std::uint32_t end) { m_out.push_back({kind, begin, end}); }

    [[noreturn]] void fail(std::uint32_t begin, std::uint32_t end, const std::string& what) {
        m_faults.add(DiagId::SyntaxFormatString, begin, end, what);
        throw Failed{};
    }

    void text_until(std::uint32_t begin) {
        if (m_at > begin)
            emit(Tok::FS_TEXT, begin, m_at);
    }

    // Text and fields, up to the end or (inside a format specification) to the brace that closes the field.
    void parts(int depth) {
        std::uint32_t begin = m_at;
        while (!done()) {
            char c = peek();
            if (c == '\\' && !m_form.is_raw && peek(1) == 'N' && peek(2) == '{') {
                while (!done() && peek() != '}')
                    ++m_at;
                m_at += done() ? 0 : 1;
            } else if (c == '\\' && !m_form.is_raw && peek(1) != '{' && peek(1) != '}') {
                m_at += done() ? 1 : 2;
            } else if (c != '{' && c != '}') {
                ++m_at;
            } else if (depth == 0 && peek(1) == c) {
                ++m_at;
                text_until(begin);
                begin = ++m_at;
            } else if (c == '}') {
                if (depth == 0)
                    fail(m_at, m_at + 1, "single '}'");
                break;
            } else {
                text_until(begin);
                field(depth);
                begin = m_at;
            }
        }
        m_at = std::min(m_at, m_form.end);
        text_until(begin);
    }

    void field(int depth) {
        std::uint32_t open = m_at;
        if (depth >= max_spec_depth)
            fail(open, open + 1, "fields nested too deeply");
        emit(Tok::FS_OPEN, open, ++m_at);
        std::uint32_t begin = m_at;
        find_end(open);
        if (m_text.substr(begin, m_at - begin).find_first_not_of(" \t\f\r\n") == std::string_view::npos)
            fail(open, done() ? m_at : m_at + 1, "empty field");
        if (done())
            fail(open, open + 1, "'{' without a closing '}'");
        expression({begin, m_at});
        if (peek() == '=') {
            ++m_at;
            while (peek() == ' ' || (peek() >= '\t' && peek() <= '\r'))
                ++m_at;
            emit(Tok::FS_DEBUG, begin, m_at);
        }
        if (peek() == '!')
            conversion();
        if (peek() == ':') {
            emit(Tok::FS_COLON, m_at, m_at + 1);
            ++m_at;
            parts(depth + 1);
        }
        if (peek() != '}')
            fail(open, open + 1, "'{' without a closing '}'");
        emit(Tok::FS_CLOSE, m_at, m_at + 1);
        ++m_at;
    }

    void conversion() {
        std::uint32_t begin = m_at++;
        std::uint32_t letter = m_at;
        while (!done() && peek() != '}' && peek() != ':')
            ++m_at;
        std::string_view word = m_text.substr(letter, m_at - letter);
        if (word != "r" && word != "s" && word != "a")
            fail(begin, std::max(m_at, begin + 1), cat("unknown conversion '!", word, "' (expected !r, !s or !a)"));
        emit(Tok::FS_CONVERSION, begin, m_at);
    }

    // Moves to the character that ends the expression.
    void find_end(std::uint32_t open) {
        std::string brackets;
        std::vector<std::uint32_t> places;
        for (; !done(); ++m_at) {
            char c = peek();
            if (c == '\\')
                fail(m_at, m_at + 1, "a backslash inside a field");
            if (c == '#')
                fail(m_at, m_at + 1, "'#' inside a field");
            if (c == '"' || c == '\'') {
                skip_string();
                continue;
            }
            if (brackets.empty() && (c == '!' || c == ':' || c == '}' || c == '=' || c == '<' || c == '>')) {
                if (peek(1) == '=' && c != ':' && c != '}') {
                    ++m_at;
                    continue;
                }
                if (c == '<' || c == '>')
                    continue;
                return;
            }
            if (c == '(' || c == '[' || c == '{') {
                brackets += c;
                places.push_back(m_at);
                if (brackets.size() > 100)
                    fail(m_at, m_at + 1, "more than 100 brackets inside each other");
            } else if (c == ')' || c == ']' || c == '}') {
                if (brackets.empty())
                    fail(m_at, m_at + 1, cat("unmatched '", c, "'"));
                char top = brackets.back();
                if ((top == '(' && c != ')') || (top == '[' && c != ']') || (top == '{' && c != '}'))
                    fail(m_at, m_at + 1, cat("'", c, "' does not close '", top, "'"));
                brackets.pop_back();
                places.pop_back();
            }
        }
        if (!brackets.empty())
            fail(places.back(), places.back() + 1, cat("'", brackets.back(), "' was never closed"));
        (void)open;
    }

    void skip_string() {
        std::uint32_t begin = m_at;
        char mark = peek();
        bool triple = peek(1) == mark && peek(2) == mark;
        m_at += triple ? 3 : 1;
        for (; !done(); ++m_at) {
            if (peek() == '\\')
                fail(m_at, m_at + 1, "a backslash inside a field");
            if (peek() == mark && (!triple || (peek(1) == mark && peek(2) == mark))) {
                m_at += triple ? 2 : 0;
                return;
            }
        }
        fail(begin, begin + 1, "unterminated string");
    }

    void expression(Stretch where) {
        Scanned inner;
        std::size_t faults = m_faults.size();
        scan(m_text, where, inner, m_faults);
        if (m_faults.size() > faults)
            throw Failed{};
        for (const Token& token : inner.tokens)
            if (token.kind != Tok::LINE_END)
                append_token(m_text, token, m_out, m_faults);
        if (m_faults.size() > faults)
            throw Failed{};
    }

    std::string_view m_text;
    Token m_token;
    StringForm m_form;
    Tokens& m_out;
    Faults& m_faults;
    std::uint32_t m_at;
};

} // namespace

void split_format_string(std::string_view text, const Token& token, Tokens& out, Faults& faults) {
    FormatSplitter(text, token, out, faults).run();
}

} // namespace hidet::lang
