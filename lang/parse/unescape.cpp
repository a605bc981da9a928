// SPDX-License-Identifier: Apache-2.0
#include "lang/parse/unescape.h"

namespace hidet::lang {

namespace {

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

} // namespace

Unescaped unescape(std::string_view text, EscapeForm form) {
    return Reader(text, form).run();
}

} // namespace hidet::lang
