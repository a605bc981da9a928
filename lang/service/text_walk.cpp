// SPDX-License-Identifier: Apache-2.0
#include "lang/service/text_walk.h"

#include <algorithm>

namespace hidet::lang::service {

Piece TextWalk::next() {
    std::uint32_t begin = m_at;
    auto piece = [&](Piece::Kind kind) { return Piece{kind, begin, m_at, true, false}; };
    if (m_at >= m_text.size())
        return piece(Piece::Kind::End);
    char c = peek(0);
    if (c == '"' || c == '\'')
        return string();
    if (is_line_end(c)) {
        m_at += line_end_size();
        return piece(Piece::Kind::LineEnd);
    }
    if (c == '#') {
        while (m_at < m_text.size() && !is_line_end(m_text[m_at]))
            ++m_at;
        return piece(Piece::Kind::Comment);
    }
    ++m_at;
    if (c == '\\' && m_at < m_text.size() && is_line_end(peek(0))) {
        m_at += line_end_size();
        return piece(Piece::Kind::JoinedLine);
    }
    return piece(Piece::Kind::Character);
}

// Ends at its quotes, or, without three of them, at the end of the line.
Piece TextWalk::string() {
    Piece out{Piece::Kind::String, m_at, m_at, false, false};
    char quote = peek(0);
    out.is_triple = peek(1) == quote && peek(2) == quote;
    m_at += out.is_triple ? 3 : 1;
    while (m_at < m_text.size() && !out.closed) {
        char c = peek(0);
        if (c == '\\') {
            ++m_at;
            if (m_at < m_text.size())
                m_at += is_line_end(peek(0)) ? line_end_size() : 1;
        } else if (c == quote && (!out.is_triple || (peek(1) == quote && peek(2) == quote))) {
            m_at += out.is_triple ? 3 : 1;
            out.closed = true;
        } else if (is_line_end(c) && !out.is_triple) {
            break;
        } else {
            ++m_at;
        }
    }
    out.end = m_at;
    return out;
}

std::uint32_t clamp_offset(std::string_view text, std::uint32_t offset) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), offset));
}

std::uint32_t start_of_line(std::string_view text, std::uint32_t offset) {
    offset = clamp_offset(text, offset);
    if (offset > 0 && offset < text.size() && text[offset] == '\n' && text[offset - 1] == '\r')
        --offset; // between both bytes of one line end
    while (offset > 0 && !is_line_end(text[offset - 1]))
        --offset;
    return offset;
}

std::uint32_t end_of_line(std::string_view text, std::uint32_t offset) {
    offset = clamp_offset(text, offset);
    while (offset < text.size() && !is_line_end(text[offset]))
        ++offset;
    return offset;
}

std::string_view blanks_at(std::string_view text, std::uint32_t line_start) {
    std::uint32_t end = line_start;
    while (end < text.size() && is_blank(text[end]))
        ++end;
    return text.substr(line_start, end - line_start);
}

std::string_view line_end_of(std::string_view text) {
    std::size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos || text[end] == '\n')
        return "\n";
    return text.substr(end).starts_with("\r\n") ? "\r\n" : "\r";
}

} // namespace hidet::lang::service
