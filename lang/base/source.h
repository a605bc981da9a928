// SPDX-License-Identifier: Apache-2.0
// Source texts and places in them. Offsets are bytes of the UTF-8 text as it was read.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace hidet {

using FileId = std::uint16_t; // 0 = no file

struct Span {
    FileId file = 0;
    std::uint32_t begin = 0; // byte offset
    std::uint32_t end = 0;   // one past the last byte

    bool known() const { return file != 0; }
    friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both; either one may be unknown.
Span cover(Span a, Span b);

struct LineColumn {
    int line = 1;   // 1-based
    int column = 1; // 1-based, in code points
};

class SourceFile {
public:
    SourceFile(std::string name, std::string text);
    const std::string& name() const { return m_name; }
    const std::string& text() const { return m_text; }
    int line_count() const { return static_cast<int>(m_line_starts.size()); }
    std::string_view line(int number) const; // 1-based, without its line end
    std::uint32_t line_start(int number) const { return m_line_starts[static_cast<std::size_t>(number - 1)]; }
    LineColumn position(std::uint32_t offset) const; // offsets past the end give the end

private:
    std::string m_name;
    std::string m_text;
    std::vector<std::uint32_t> m_line_starts;
};

// Owns the texts of one compilation. Files stay at their address for the life of the map.
class SourceMap {
public:
    FileId add(std::string name, std::string text);
    const SourceFile& file(FileId id) const { return m_files[static_cast<std::size_t>(id - 1)]; }
    int size() const { return static_cast<int>(m_files.size()); }
    bool holds(Span span) const { return span.known() && span.file <= m_files.size(); }
    std::string_view text(Span span) const;

private:
    std::deque<SourceFile> m_files;
};

} // namespace hidet
