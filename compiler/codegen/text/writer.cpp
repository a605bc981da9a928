// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/writer.h"

#include "lang/base/ascii.h"

namespace hidet::compiler::text {

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\n';
}

bool is_bracket(char c) {
    return std::string_view("()[]{},;").find(c) != std::string_view::npos;
}

// Where the token that begins at `at` ends.
std::size_t token_end(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
        while (end < text.size() && text[end] != '"')
            end += text[end] == '\\' ? 2 : 1;
        return end < text.size() ? end + 1 : text.size();
    }
    if (is_bracket(text[at]))
        return end;
    bool word = is_word(text[at]);
    while (end < text.size() && !is_blank(text[end]) && !is_bracket(text[end]) && text[end] != '"' &&
           is_word(text[end]) == word)
        ++end;
    return end;
}

} // namespace

void Writer::add_token(std::size_t begin, std::size_t end) {
    m_tokens.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), m_origin});
}

void Writer::put(std::string_view text) {
    std::size_t base = m_text.size();
    m_text += text;
    for (std::size_t at = 0; at < text.size();) {
        if (is_blank(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = token_end(text, at);
        add_token(base + at, base + end);
        at = end;
    }
}

void Writer::token(std::string_view text) {
    std::size_t begin = m_text.size();
    m_text += text;
    add_token(begin, m_text.size());
}

std::size_t Writer::column() const {
    std::size_t line = m_text.rfind('\n');
    return line == std::string::npos ? m_text.size() : m_text.size() - line - 1;
}

void Writer::append(const Writer& other) {
    auto base = static_cast<std::uint32_t>(m_text.size());
    m_text += other.m_text;
    for (TokenOrigin token : other.m_tokens) {
        token.begin += base;
        token.end += base;
        m_tokens.push_back(token);
    }
}

} // namespace hidet::compiler::text
