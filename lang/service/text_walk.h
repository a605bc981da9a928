// SPDX-License-Identifier: Apache-2.0
// A text as characters, strings, comments and ends of lines: just enough of Python to know what is code. It reads any
// bytes, also those that the scanner of the parser refuses.
#pragma once

#include <cstdint>
#include <string_view>

namespace hidet::lang::service {

struct Piece {
    enum class Kind : std::uint8_t { End, Character, String, Comment, LineEnd, JoinedLine } kind = Kind::End;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool closed = true; // of a string
    bool is_triple = false;
};

class TextWalk {
public:
    explicit TextWalk(std::string_view text, std::uint32_t begin = 0) : m_text(text), m_at(begin) {}
    Piece next();

private:
    char peek(std::uint32_t ahead) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    std::uint32_t line_end_size() const { return peek(0) == '\r' && peek(1) == '\n' ? 2 : 1; }
    Piece string();

    std::string_view m_text;
    std::uint32_t m_at;
};

inline bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}
inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\f';
}
std::uint32_t clamp_offset(std::string_view text, std::uint32_t offset);
std::uint32_t start_of_line(std::string_view text, std::uint32_t offset);
std::uint32_t end_of_line(std::string_view text, std::uint32_t offset); // before its line end
std::string_view line_end_of(std::string_view text); // that its first line has; "\n" where it has one line
std::string_view blanks_at(std::string_view text, std::uint32_t line_start);

} // namespace hidet::lang::service
