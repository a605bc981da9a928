// SPDX-License-Identifier: Apache-2.0
#include "lang/base/source.h"

#include <algorithm>

#include "lang/base/check.h"

namespace hidet {

Span cover(Span a, Span b) {
    if (!a.known())
        return b;
    if (!b.known() || a.file != b.file)
        return a;
    return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

SourceFile::SourceFile(std::string name, std::string text) : m_name(std::move(name)), m_text(std::move(text)) {
    m_line_starts.push_back(0);
    for (std::size_t i = 0; i < m_text.size(); ++i) {
        bool crlf = m_text[i] == '\r' && i + 1 < m_text.size() && m_text[i + 1] == '\n';
        if (m_text[i] == '\n' || (m_text[i] == '\r' && !crlf))
            m_line_starts.push_back(static_cast<std::uint32_t>(i + 1));
    }
}

std::string_view SourceFile::line(int number) const {
    if (number < 1 || number > line_count())
        return {};
    std::size_t begin = line_start(number);
    std::size_t end = number == line_count() ? m_text.size() : line_start(number + 1);
    while (end > begin && (m_text[end - 1] == '\n' || m_text[end - 1] == '\r'))
        --end;
    return std::string_view(m_text).substr(begin, end - begin);
}

LineColumn SourceFile::position(std::uint32_t offset) const {
    offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(m_text.size()));
    auto after = std::upper_bound(m_line_starts.begin(), m_line_starts.end(), offset);
    LineColumn place;
    place.line = static_cast<int>(after - m_line_starts.begin());
    for (std::size_t i = line_start(place.line); i < offset; ++i)
        if ((static_cast<unsigned char>(m_text[i]) & 0xC0) != 0x80)
            ++place.column;
    return place;
}

FileId SourceMap::add(std::string name, std::string text) {
    HIDET_CHECK(m_files.size() < 0xFFFF, "too many source files");
    m_files.emplace_back(std::move(name), std::move(text));
    return static_cast<FileId>(m_files.size());
}

std::string_view SourceMap::text(Span span) const {
    if (!holds(span))
        return {};
    const std::string& all = file(span.file).text();
    std::size_t begin = std::min<std::size_t>(span.begin, all.size());
    std::size_t end = std::min<std::size_t>(std::max(span.begin, span.end), all.size());
    return std::string_view(all).substr(begin, end - begin);
}

} // namespace hidet
