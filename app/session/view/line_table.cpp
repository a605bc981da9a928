// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/session/view/links.h"

namespace hidet::session {

LineTable::LineTable(std::string_view text) : m_text(text) {
    m_starts.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        m_starts.push_back(static_cast<std::uint32_t>(at + 1));
    if (m_starts.back() != text.size())
        m_starts.push_back(static_cast<std::uint32_t>(text.size()));
}

int LineTable::line_of(std::uint32_t offset) const {
    auto after = std::upper_bound(m_starts.begin(), m_starts.end(), offset);
    return std::clamp(static_cast<int>(after - m_starts.begin()), 1, std::max(count(), 1));
}

TextRange LineTable::range(int line) const {
    if (line < 1 || line > count())
        return {};
    std::uint32_t begin = m_starts[static_cast<std::size_t>(line - 1)];
    std::uint32_t end = m_starts[static_cast<std::size_t>(line)];
    if (end > begin && m_text[end - 1] == '\n')
        --end;
    return {begin, end};
}

std::string_view LineTable::text(int line) const {
    TextRange bytes = range(line);
    return m_text.substr(bytes.begin, bytes.end - bytes.begin);
}

} // namespace hidet::session
