// SPDX-License-Identifier: Apache-2.0
// Places in texts as the protocol has them: 0-based lines, and columns in units that client and server agree on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::lsp {

enum class Encoding : std::uint8_t { Utf8, Utf16, Utf32 };

struct Position {
    int line = 0;
    int character = 0;
    friend bool operator==(const Position&, const Position&) = default;
};

// A text with the places of its lines. A line ends at "\n", "\r\n" or "\r".
class IndexedText {
public:
    IndexedText() : IndexedText("") {}
    explicit IndexedText(std::string text);

    const std::string& text() const { return m_text; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(m_text.size()); }
    // A column behind its line is that line's end, a line behind the text the text's, and the middle of a character its
    // beginning.
    std::uint32_t offset(Position at, Encoding encoding) const;
    Position position(std::uint32_t offset, Encoding encoding) const;
    // Of a 1-based line and a 1-based column in code points, as diagnostics have them.
    std::uint32_t offset_of_place(int line, int column) const;
    void replace(std::uint32_t begin, std::uint32_t end, std::string_view text);

private:
    void find_lines(std::size_t from);
    std::string_view line(int number) const; // 0-based, without its end

    std::string m_text;
    std::vector<std::uint32_t> m_starts;
};

} // namespace hidet::lsp
