// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/positions.h"

#include <algorithm>

namespace hidet::lsp {

namespace {

// Bytes of the character that begins with this one; a byte that begins none stands for itself.
std::size_t bytes_of(unsigned char first) {
    return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
}

int units_of(unsigned char first, Encoding encoding) {
    switch (encoding) {
    case Encoding::Utf8: return static_cast<int>(bytes_of(first));
    case Encoding::Utf16: return first >= 0xF0 ? 2 : 1;
    case Encoding::Utf32: return 1;
    }
    return 1;
}

// The bytes in front of a column of a line.
std::size_t bytes_before(std::string_view line, int column, Encoding encoding) {
    std::size_t at = 0;
    while (at < line.size()) {
        column -= units_of(static_cast<unsigned char>(line[at]), encoding);
        if (column < 0)
            return at;
        at += bytes_of(static_cast<unsigned char>(line[at]));
    }
    return line.size();
}

} // namespace

IndexedText::IndexedText(std::string text) : m_text(std::move(text)) {
    find_lines(0);
}

// Those that begin behind `from` are found again.
void IndexedText::find_lines(std::size_t from) {
    m_starts.erase(std::upper_bound(m_starts.begin(), m_starts.end(), from), m_starts.end());
    if (m_starts.empty())
        m_starts.push_back(0);
    for (std::size_t i = m_starts.back(); i < m_text.size(); ++i) {
        bool ends = m_text[i] == '\n' || (m_text[i] == '\r' && (i + 1 == m_text.size() || m_text[i + 1] != '\n'));
        if (ends)
            m_starts.push_back(static_cast<std::uint32_t>(i + 1));
    }
}

std::string_view IndexedText::line(int number) const {
    auto at = static_cast<std::size_t>(number);
    std::size_t begin = m_starts[at], end = at + 1 < m_starts.size() ? m_starts[at + 1] : m_text.size();
    while (end > begin && (m_text[end - 1] == '\n' || m_text[end - 1] == '\r'))
        --end;
    return std::string_view(m_text).substr(begin, end - begin);
}

std::uint32_t IndexedText::offset(Position at, Encoding encoding) const {
    if (at.line < 0)
        return 0;
    if (at.line >= static_cast<int>(m_starts.size()))
        return size();
    std::size_t before = bytes_before(line(at.line), std::max(at.character, 0), encoding);
    return m_starts[static_cast<std::size_t>(at.line)] + static_cast<std::uint32_t>(before);
}

Position IndexedText::position(std::uint32_t offset, Encoding encoding) const {
    offset = std::min(offset, size());
    auto after = std::upper_bound(m_starts.begin(), m_starts.end(), offset);
    Position out{static_cast<int>(after - m_starts.begin()) - 1, 0};
    std::string_view text = line(out.line);
    std::size_t end = std::min<std::size_t>(offset - m_starts[static_cast<std::size_t>(out.line)], text.size());
    for (std::size_t at = 0; at < end;) {
        std::size_t next = at + bytes_of(static_cast<unsigned char>(text[at]));
        if (next > end)
            break;
        out.character += units_of(static_cast<unsigned char>(text[at]), encoding);
        at = next;
    }
    return out;
}

std::uint32_t IndexedText::offset_of_place(int line, int column) const {
    return offset({line - 1, column - 1}, Encoding::Utf32);
}

void IndexedText::replace(std::uint32_t begin, std::uint32_t end, std::string_view text) {
    begin = std::min(begin, size());
    end = std::clamp(end, begin, size());
    m_text.replace(begin, end - begin, text);
    find_lines(begin > 0 ? begin - 1 : 0); // what stands there may join with "\r" or "\n"
}

} // namespace hidet::lsp
