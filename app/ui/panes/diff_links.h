// SPDX-License-Identifier: GPL-3.0-only
// The links of a column of a comparison: those of the texts that it shows, at the lines where it shows them. They have no
// hues: colours are of changes there. Pure.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "app/session/view/links.h"
#include "app/ui/panes/diff_columns.h"
#include "app/ui/panes/stage_text.h"

namespace hidet::ui {

class DiffLinks {
public:
    DiffLinks() = default;
    // An index that is null has no links: that side is older than the script.
    DiffLinks(const DiffColumn& column, std::shared_ptr<const session::LinkIndex> left,
              std::shared_ptr<const session::LinkIndex> right)
        : m_left(std::move(left)), m_right(std::move(right)) {
        const session::LineTable rows(
            std::string_view(column.text.constData(), static_cast<std::size_t>(column.text.size())));
        for (std::size_t row = 0; row < column.sources.size(); ++row) {
            const DiffSource source = column.sources[row];
            const session::LinkIndex* index = indexOf(source.right).get();
            if (source.line == 0 || !index)
                continue;
            const session::TextRange here = rows.range(static_cast<int>(row) + 1);
            m_bySource[source.right].push_back(m_lines.size());
            m_lines.push_back(
                {int(here.begin), int(here.end), int(index->lines().range(source.line).begin), source.right});
        }
    }

    std::vector<ByteRange> targets(const session::Place& script) const {
        std::vector<ByteRange> out;
        for (const bool side : {false, true})
            if (indexOf(side))
                for (const session::TextRange& range : indexOf(side)->targets(script))
                    if (const auto here = shown(side, range))
                        out.push_back(*here);
        std::sort(out.begin(), out.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
        return out;
    }

    std::optional<session::Place> placeAt(int offset) const {
        const auto after = std::upper_bound(m_lines.begin(), m_lines.end(), offset,
                                            [](int at, const Line& line) { return at < line.begin; });
        if (after == m_lines.begin() || offset > (after - 1)->end)
            return {};
        const Line& line = *(after - 1);
        const session::Link* link =
            indexOf(line.right)->source_of(static_cast<std::uint32_t>(line.source + offset - line.begin));
        return link ? std::optional(link->source) : std::nullopt;
    }

private:
    struct Line {
        int begin = 0; // in the column
        int end = 0;
        int source = 0; // in the text that it is of
        bool right = false;
    };
    // A link lies in one line. Its indentation is nobody's.
    std::optional<ByteRange> shown(bool right, session::TextRange range) const {
        const std::vector<std::size_t>& lines = m_bySource[right];
        const int begin = static_cast<int>(range.begin);
        const auto after = std::upper_bound(lines.begin(), lines.end(), begin,
                                            [&](int at, std::size_t line) { return at < m_lines[line].source; });
        if (after == lines.begin())
            return {};
        const Line& line = m_lines[*(after - 1)];
        ByteRange out{line.begin + begin - line.source, line.begin + int(range.end) - line.source};
        out.end = std::min(out.end, line.end);
        const std::string_view text = indexOf(right)->text();
        for (std::size_t at = range.begin; out.begin < out.end && text[at] == ' '; ++at)
            ++out.begin;
        return out.begin < out.end ? std::optional(out) : std::nullopt;
    }

    const std::shared_ptr<const session::LinkIndex>& indexOf(bool right) const { return right ? m_right : m_left; }

    std::shared_ptr<const session::LinkIndex> m_left, m_right;
    std::vector<Line> m_lines;
    std::vector<std::size_t> m_bySource[2]; // the lines of each side, as its text has them
};

} // namespace hidet::ui
