// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/text/text_lexer.h"

#include <algorithm>

#include "lang/base/ascii.h"

namespace hidet::ir {

namespace {

using What = TextToken::What;

bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
public:
    Lexer(std::string_view text, FileId file) : m_text(text), m_file(file) {}

    std::vector<TextToken> run() {
        while (m_at < m_text.size()) {
            line();
            m_at = std::min(m_at, m_text.size()); // the last line may lack its end
        }
        while (m_indents.size() > 1)
            dedent();
        add(What::End, m_at);
        return std::move(m_tokens);
    }

private:
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\n'; }
    Span span_from(std::size_t begin) const {
        return {m_file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(m_at)};
    }
    void add(What what, std::size_t begin) {
        m_tokens.push_back(
            {what, m_text.substr(begin, m_at - begin), span_from(begin), static_cast<int>(m_indents.size()) - 1});
    }
    void dedent() {
        m_indents.pop_back();
        add(What::Dedent, m_at);
    }

    void line() {
        std::size_t begin = m_at;
        while (peek() == ' ')
            ++m_at;
        if (peek() == '\r' && peek(1) == '\n')
            ++m_at;
        if (peek() == '\n') { // an empty line ends nothing
            ++m_at;
            return;
        }
        indent(m_at - begin);
        if (peek() == '#')
            return comment();
        while (m_at < m_text.size() && peek() != '\n')
            token();
        add(What::Newline, m_at);
        ++m_at;
    }

    void indent(std::size_t width) {
        if (width > m_indents.back()) {
            m_indents.push_back(width);
            return add(What::Indent, m_at);
        }
        while (width < m_indents.back())
            dedent();
        if (width != m_indents.back())
            fail(DiagId::IrIndentation, span_from(m_at - width));
    }

    void comment() {
        ++m_at;
        if (peek() == ' ')
            ++m_at;
        std::size_t begin = m_at;
        while (peek() != '\n')
            ++m_at;
        add(What::Comment, begin);
        add(What::Newline, m_at);
        ++m_at;
    }

    void token() {
        char c = peek();
        std::size_t begin = m_at;
        if (c == ' ' || (c == '\r' && peek(1) == '\n')) {
            ++m_at;
            return;
        }
        if (c == '#') { // a remark behind a statement is no part of the program
            while (peek() != '\n')
                ++m_at;
            return;
        }
        if (is_word_start(c)) {
            while (is_word_start(peek()) || is_digit(peek()))
                ++m_at;
            return add(What::Name, begin);
        }
        if (is_digit(c))
            return number();
        if (c == '\'' || c == '"')
            return string();
        return mark();
    }

    void number() {
        std::size_t begin = m_at;
        auto digits = [&] {
            while (is_digit(peek()))
                ++m_at;
        };
        digits();
        bool is_real = false;
        if (peek() == '.' && is_digit(peek(1))) {
            is_real = true;
            ++m_at;
            digits();
        }
        bool is_signed = peek(1) == '+' || peek(1) == '-';
        if (peek() == 'e' && is_digit(peek(is_signed ? 2 : 1))) {
            is_real = true;
            m_at += is_signed ? 2 : 1;
            digits();
        }
        add(is_real ? What::Real : What::Integer, begin);
    }

    void string() {
        std::size_t begin = m_at;
        char quote = m_text[m_at++];
        while (m_at < m_text.size() && peek() != quote && peek() != '\n')
            m_at += peek() == '\\' && peek(1) != '\n' ? 2 : 1;
        if (m_at >= m_text.size() || peek() != quote) {
            m_at = std::min(m_at, m_text.size());
            fail(DiagId::IrUnterminated, span_from(begin));
        }
        ++m_at;
        add(What::String, begin);
    }

    void mark() {
        static constexpr std::string_view pairs[] = {"->", "<<", ">>", "<=", "==", "!=", "//"};
        static constexpr std::string_view singles = "()[]{},:;.=+-*/%<>&|^~@";
        std::size_t begin = m_at;
        for (std::string_view pair : pairs)
            if (peek() == pair[0] && peek(1) == pair[1]) {
                m_at += 2;
                return add(What::Mark, begin);
            }
        ++m_at;
        if (singles.find(m_text[begin]) == std::string_view::npos)
            fail(DiagId::IrCharacter, span_from(begin), quote(m_text.substr(begin, 1)));
        add(What::Mark, begin);
    }

    std::string_view m_text;
    FileId m_file;
    std::size_t m_at = 0;
    std::vector<std::size_t> m_indents = {0};
    std::vector<TextToken> m_tokens;
};

int hex_value(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

} // namespace

std::vector<TextToken> lex_ir_text(const SourceMap& sources, FileId file) {
    return Lexer(sources.file(file).text(), file).run();
}

std::string unescaped(std::string_view quoted) {
    std::string_view body = quoted.substr(1, quoted.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '\\' || i + 1 == body.size()) {
            out += body[i];
            continue;
        }
        char c = body[++i];
        bool is_byte = c == 'x' && i + 2 < body.size() && hex_value(body[i + 1]) >= 0 && hex_value(body[i + 2]) >= 0;
        if (is_byte) {
            out += static_cast<char>(hex_value(body[i + 1]) * 16 + hex_value(body[i + 2]));
            i += 2;
            continue;
        }
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    return out;
}

} // namespace hidet::ir
